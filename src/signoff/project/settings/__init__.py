"""Read, check and write the settings file."""
