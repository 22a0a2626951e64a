"""The report of a hosted run."""
