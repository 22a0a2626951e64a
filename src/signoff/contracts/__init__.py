"""Contracts: compile, check, seal, show and verify them."""
