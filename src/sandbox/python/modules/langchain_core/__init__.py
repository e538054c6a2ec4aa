"""Replacement: see `tools` and `callbacks`."""
