"""Every figure the README quotes, measured: `python -m bench [tokens turn stream startup search]`."""
