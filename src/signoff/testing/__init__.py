"""What plugin authors and our own tests share: the scripted agent, fixtures, the bundled sample."""
