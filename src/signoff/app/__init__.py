"""The use cases, one function each. They return records, never text."""
