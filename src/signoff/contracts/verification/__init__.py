"""Run the checks of a contract here and now."""
