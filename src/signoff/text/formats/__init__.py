"""JUnit, SARIF and unified diffs as text. Pure."""
