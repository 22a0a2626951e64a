"""Rules for the output of reviewers and of triage. Pure."""
