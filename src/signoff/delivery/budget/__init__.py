"""Budgets of a run: limits, spending, halts and the table."""
