"""Git commands and git directories."""
