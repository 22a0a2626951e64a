"""Records of a run: events, effects, outcomes, halts, directives. Pure."""
