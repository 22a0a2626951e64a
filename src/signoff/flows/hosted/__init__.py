"""The flow of a run that a host drives, one cycle at a time. Pure."""
