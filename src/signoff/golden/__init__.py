"""Recorded runs as regression tests."""
