"""The numbers, names, dates, hashes and paths of an answer, matched to what the tools of its turn returned."""
