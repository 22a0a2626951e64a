"""Signoff: a delivery engine for coding agents that signs off only what it has seen proven."""

__version__ = "0.1.0"
