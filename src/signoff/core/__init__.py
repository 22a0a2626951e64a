"""Pure decisions: fold, judge, rules. Records in, records out; no clock, no files."""
