"""Records about what was observed: receipts, verdicts, gates, reviews. Pure."""
