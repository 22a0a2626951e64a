"""Specs and contracts that people curate, below `.signoff/`: tracked by git, and never overwritten here."""

import os

from signoff.host.files.durable_files import read_if_there, write_new
from signoff.storage.state_folder import prepare


class DocumentFiles:
    """JSON files by name, in one folder per kind."""

    def __init__(self, state_dir: str) -> None:
        self._home = state_dir

    def path(self, kind: str, name: str) -> str:
        """Return the path of a document, whether or not it exists."""
        return os.path.join(self._home, kind, f"{name}.json")

    def read(self, kind: str, name: str) -> bytes | None:
        """Return a document's bytes, or None if it does not exist."""
        return read_if_there(self.path(kind, name))

    def create(self, kind: str, name: str, data: bytes) -> bool:
        """Write a new document, whole or not at all. Return False if it exists."""
        prepare(self._home)
        os.makedirs(os.path.join(self._home, kind), exist_ok=True)
        return write_new(self.path(kind, name), data, 0o644)
