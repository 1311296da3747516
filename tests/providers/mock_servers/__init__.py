"""Mocks of models' services that nobody here wrote, each in a process of its own."""
