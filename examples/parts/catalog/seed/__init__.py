"""Fill the tables with the same invented company every time."""

from catalog.seed.load import clear, seed

__all__ = ["clear", "seed"]
