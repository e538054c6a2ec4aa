"""Replacement: see `sandbox`."""
