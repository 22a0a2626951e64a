"""Durable files, locks, clock and random ids."""
