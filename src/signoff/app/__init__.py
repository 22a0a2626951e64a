"""The use cases, one function each; they return records, never text."""
