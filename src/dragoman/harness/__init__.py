"""The chat itself, without any framework: standard library only."""
