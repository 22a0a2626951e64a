"""Pure text and data helpers that belong to no subject."""
