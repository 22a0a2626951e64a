"""The host's state file: formats, migration, faults. Pure."""
