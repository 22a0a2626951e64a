"""The hosted flow: which step may go on, from which state. Pure."""
