"""`signoff gate`: every deterministic gate on the working tree against a base."""
