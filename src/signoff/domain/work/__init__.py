"""Records about what is asked for: tickets, specs, contracts, checks, settings. Pure."""
