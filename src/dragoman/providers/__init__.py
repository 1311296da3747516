"""Models' services, one dialect a file, and what answers without any."""
