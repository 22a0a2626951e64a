"""Commands that plan: refine, specs, contracts, single checks."""
