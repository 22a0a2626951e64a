"""Detection of changes to `.signoff/` of a checkout, which no captured tree contains."""

import os
from collections.abc import Iterator

from signoff.domain.base.typed_ids import TreeId
from signoff.host.git.git_door import Git, raw, text
from signoff.host.git.tree_objects import read_entries

STATE_FOLDER = ".signoff"
_MOST = 20


def meddled(git: Git, folder: str, base: TreeId) -> tuple[str, ...]:
    """List up to twenty paths below `.signoff/` that differ from the base."""
    prefix = raw(STATE_FOLDER) + b"/"
    known = {path: entry for path, entry in read_entries(git, base).items() if path.startswith(prefix)}
    found = dict(_on_disk(folder))
    wrong = [path for path in known if path not in found]
    for path, data in found.items():
        if path not in known or git.line("hash-object", "--stdin", stdin=data) != known[path].oid:
            wrong.append(path)
    return tuple(text(path) for path in sorted(wrong)[:_MOST])


def _on_disk(folder: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield path and content of every file below the state folder. The content of a link is its target."""
    top = os.path.join(raw(folder), raw(STATE_FOLDER))
    if os.path.islink(top) or os.path.isfile(top):
        yield raw(STATE_FOLDER), b""
        return
    for parent, folders, names in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in (*names, *links):
            path = os.path.join(parent, name)
            yield os.path.relpath(path, raw(folder)), _content(path)


def _content(path: bytes) -> bytes:
    if os.path.islink(path):
        return os.readlink(path)
    if not os.path.isfile(path):
        return b""
    with open(path, "rb") as file:
        return file.read()
