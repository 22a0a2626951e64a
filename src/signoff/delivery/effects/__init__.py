"""Carry out the effects of a delivery and write its certificate."""
