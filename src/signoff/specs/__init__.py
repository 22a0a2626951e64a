"""Specs, their questions and their sprints. Pure."""
