"""What is particular to each coding agent's program: how it is started and what its lines mean. Pure."""
