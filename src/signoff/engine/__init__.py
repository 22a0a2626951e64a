"""The loop, the fold and the journal's line format: what every run of every flow is made of."""
