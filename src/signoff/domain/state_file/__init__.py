"""Records of a host's state file and the report written from it. Pure."""
