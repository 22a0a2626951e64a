"""Base records: ids, errors, findings, violations, failure classes, caps. Pure."""
