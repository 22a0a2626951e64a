"""Which effects may run now, from which state. Pure."""
