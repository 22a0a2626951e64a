"""Use cases of golden transcripts: play a scenario, capture packs, replay them, verify the manifest."""
