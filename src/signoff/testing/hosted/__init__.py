"""Stages for scenarios of hosted runs: a live one with real git and tests, and one from what was observed."""
