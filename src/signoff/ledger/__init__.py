"""Agent-run records: rules, reading, privacy, costs. Pure."""
