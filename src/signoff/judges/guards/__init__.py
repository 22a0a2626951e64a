"""Decide whether a shell command or a SQL file may be let through. Pure."""
