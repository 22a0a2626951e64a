"""Start, box and stop foreign programs."""
