"""Read tickets and prompts, and decide whether work may start. Pure."""
