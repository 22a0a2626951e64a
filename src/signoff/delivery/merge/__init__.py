"""Predict and make the merges of a wave."""
