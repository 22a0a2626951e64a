"""Adapters of the agent port, one file per backend."""
