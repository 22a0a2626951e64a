"""Observers of a hosted cycle."""
