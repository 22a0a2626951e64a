"""What host and engine hand each other through the state file."""
