"""What the assistant may do with a repository, as tools; the same functions serve the panel and MCP."""
