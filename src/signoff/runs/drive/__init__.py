"""Start, drive and record runs."""
