"""Read Python test files: cases, assertions, marks, hooks. Pure."""
