"""Compare the tests of a file before and after a change. Pure."""
