"""A stand-in for the predecessor system: see `skills` and `tools`."""
