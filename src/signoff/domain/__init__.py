"""Frozen records that the journal or a port names, and the ports. Imports nothing of ours."""
