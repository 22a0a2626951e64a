"""Packs, scenarios and deliveries as files, and how they are compared. Pure."""
