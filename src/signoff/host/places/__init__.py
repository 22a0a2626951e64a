"""Folders on disk: captures, checkouts, materialised trees, the working tree."""
