"""Find existing tests that a change deleted, skipped, weakened or stopped collecting."""
