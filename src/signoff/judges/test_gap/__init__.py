"""Find new public names without a test. Pure."""
