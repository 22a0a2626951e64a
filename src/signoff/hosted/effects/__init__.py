"""Carry out what a hosted run asks of the engine."""
