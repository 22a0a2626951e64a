"""Runs that a host drives with `signoff work`, one cycle at a time."""
