"""Contracts as files: formats, seal, judgement of a whole file. Pure."""
