"""A small coding agent: it asks a model over HTTP, uses four tools, and reports in the format of its caller.

Backends are tested with it where the real programs are not installed. `run_small_agent.py` starts it. It
loads the standard library only, so that a test waits for its model and not for imports.
"""
