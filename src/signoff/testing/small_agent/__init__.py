"""A small coding agent: it asks a model over HTTP, uses four tools, and tells of it in the way of its caller.

Backends are tested with it where the real programs are not installed, and authors of plugins can start from
it. Nothing but the standard library is loaded, so that a test waits for its model and not for imports.
"""
