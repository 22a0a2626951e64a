"""The loop that carries effects out and records what happened."""
