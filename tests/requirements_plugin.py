"""Say of each promise in tests/requirements.yaml whether a test of this run proves it."""
