"""A stand-in: see `tools` and `callbacks`."""
