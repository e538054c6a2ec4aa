"""A stand-in: see `sandbox`."""
