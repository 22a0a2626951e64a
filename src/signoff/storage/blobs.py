"""Bodies by their digest: prompts, answers, patches, contracts. `<run>/blobs/<sha256 hex>`.

A blob is durable before the record that names it is written, and verified whenever it is read.
"""

import hashlib
import os
import re

from signoff.domain.errors import ConfigError
from signoff.domain.ids import Digest
from signoff.host.files import write_atomic

_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


class BlobStore:
    """The blobs of one run, in a folder made when the first is stored."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def put(self, data: bytes) -> Digest:
        """Store and give the digest; storing twice is storing once, and mends a damaged one."""
        name = hashlib.sha256(data).hexdigest()
        path = os.path.join(self._folder, name)
        if _content(path) != data:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            write_atomic(path, data)
        return Digest(f"sha256:{name}")

    def get(self, digest: Digest) -> bytes:
        """Give the bytes, verified against the digest."""
        known = _DIGEST.fullmatch(digest)
        data = _content(os.path.join(self._folder, known[1])) if known else None
        if known is None or data is None:
            raise ConfigError(
                f"{digest[:80]} is not in {self._folder}",
                slug="blob-missing",
                why="" if known else "that is not a digest: `sha256:` and 64 hex digits",
                fix="restore the run's folder from a copy; a record names what is gone",
            )
        if hashlib.sha256(data).hexdigest() != known[1]:
            raise ConfigError(
                f"{os.path.join(self._folder, known[1])} is not what was stored",
                slug="blob-damaged",
                why="its SHA-256 differs from its name",
                fix="restore that file from a copy",
            )
        return data


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
