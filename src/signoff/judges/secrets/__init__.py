"""Find credentials in files and changes. Pure."""
