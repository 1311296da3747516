"""Source text to facts: the symbols, imports and calls of one file, read without running anything."""
