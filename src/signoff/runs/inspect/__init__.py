"""List, show, replay and verify runs."""
