"""Use cases of golden transcripts and pinned deliveries: capture, replay, verify."""
