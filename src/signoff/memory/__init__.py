"""Curated memory: entries and their recall for a ticket."""
