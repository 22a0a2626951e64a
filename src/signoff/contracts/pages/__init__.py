"""Contracts and sprints as pages for people. Pure."""
