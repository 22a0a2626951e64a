"""Play scenarios and pinned runs, capture and replay packs."""
