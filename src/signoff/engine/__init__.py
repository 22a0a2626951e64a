"""The loop that performs effects and records what happened."""
