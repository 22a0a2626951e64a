"""Which effects of a delivery may run now, from which state. Pure."""
