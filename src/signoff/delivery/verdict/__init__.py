"""Compute the verdict from contract, receipts and tree ids. Pure."""
