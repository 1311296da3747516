"""A small Django project that serves the chat for repositories of this machine, to the person who sits at it."""
