"""Specs and contracts that people curate, below `.signoff/`: tracked by git, and never overwritten here."""

import os

from signoff.host.files.durable_files import write_new
from signoff.storage.home import prepare


class DocumentFiles:
    """JSON files by kind, which is a folder, and name."""

    def __init__(self, state_dir: str) -> None:
        self._home = state_dir

    def path(self, kind: str, name: str) -> str:
        """Give where a document lies, or would."""
        return os.path.join(self._home, kind, f"{name}.json")

    def read(self, kind: str, name: str) -> bytes | None:
        """Give a document's bytes, or None where there is none."""
        try:
            with open(self.path(kind, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def create(self, kind: str, name: str, data: bytes) -> bool:
        """Write a document that is not there yet, whole or not at all; False where one is."""
        prepare(self._home)
        os.makedirs(os.path.join(self._home, kind), exist_ok=True)
        return write_new(self.path(kind, name), data, 0o644)
