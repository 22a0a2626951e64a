"""Has somebody written into `.signoff/` of a checkout? It is no part of a tree: a capture never shows it."""

import os
from collections.abc import Iterator

from signoff.domain.base.typed_ids import TreeId
from signoff.host.git.git_door import Git, raw, text
from signoff.host.git.tree_objects import read_entries

STATE_FOLDER = ".signoff"
_MOST = 20


def meddled(git: Git, folder: str, base: TreeId) -> tuple[str, ...]:
    """List the paths below `.signoff/` that are not as the base has them; at most twenty."""
    prefix = raw(STATE_FOLDER) + b"/"
    known = {path: entry for path, entry in read_entries(git, base).items() if path.startswith(prefix)}
    found = dict(_on_disk(folder))
    wrong = [path for path in found if path not in known or not _same(git, found[path], known[path].oid)]
    wrong += [path for path in known if path not in found]
    return tuple(text(path) for path in sorted(wrong)[:_MOST])


def _on_disk(folder: str) -> Iterator[tuple[bytes, bytes]]:
    """Give path and content of every file below the state folder; a link counts as what it points to."""
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


def _same(git: Git, data: bytes, oid: str) -> bool:
    return git.run("hash-object", "--stdin", stdin=data).decode().strip() == oid
