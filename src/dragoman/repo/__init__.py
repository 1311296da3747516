"""A code repository as something a chat stands on: its code graph, its history, its files. SQLite and git, no Django."""
