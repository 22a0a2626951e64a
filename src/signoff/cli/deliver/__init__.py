"""Commands that deliver: start, drive, answer, show and end runs."""
