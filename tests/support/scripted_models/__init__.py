"""A model of our own on loopback, that says what a script tells it to: for tests of programs that ask one.

It speaks the Messages, Responses, Chat Completions and Gemini interfaces, streamed and whole.
`server.serve()` starts it; `scenarios.py` says what it can play. Standard library and msgspec only.
"""
