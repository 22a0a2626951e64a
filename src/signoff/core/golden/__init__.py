"""Golden transcripts of hosted runs: scenarios, packs, and how two packs are compared. Pure."""
