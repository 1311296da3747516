"""A grounded chat assistant on a system people already have."""

__version__ = "0.1.0.dev0"
