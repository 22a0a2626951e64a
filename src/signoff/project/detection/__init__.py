"""Detect the stack, its commands and its further checks. Pure."""
