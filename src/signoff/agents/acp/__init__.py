"""Agents that speak the Agent Client Protocol: the client program, and what it makes of their messages."""
