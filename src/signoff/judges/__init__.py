"""Judges of a change, each usable alone from the command line. Pure or through ports."""
