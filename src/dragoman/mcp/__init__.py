"""Any toolbox over the Model Context Protocol."""
