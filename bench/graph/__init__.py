"""Call edges held against a type checker's: how many are right, and how many were found."""
