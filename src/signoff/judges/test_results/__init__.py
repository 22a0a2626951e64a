"""Compare test runner reports by test id. Pure."""
