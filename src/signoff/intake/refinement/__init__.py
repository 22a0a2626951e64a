"""The intake gate: clarity, safety, task type and routing of a request. Pure."""
