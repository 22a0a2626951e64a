"""Use cases of runs that a host drives with `signoff work`."""
