"""Check event logs: fields, order, chain, with profiles for audit and cycle logs. Pure."""
