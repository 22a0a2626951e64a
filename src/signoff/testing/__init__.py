"""What plugin authors and our own tests share: scripted agent, conformance suite, stages, bundled sample."""
