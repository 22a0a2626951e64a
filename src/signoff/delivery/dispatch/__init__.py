"""Hand a directive to an agent, read the answer, fall back or retry."""
