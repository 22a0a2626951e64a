"""Journals, blobs, inbox and views on disk: adapters of the storage ports."""
