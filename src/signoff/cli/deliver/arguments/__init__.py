"""Help texts and arguments of these commands. Loads no records."""
