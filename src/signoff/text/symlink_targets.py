"""Where a symbolic link leads, judged by its text alone. Pure."""

import posixpath


def leads_outside(path: str, target: bytes) -> bool:
    """Check whether a link at `path` points out of the tree it lies in."""
    text = target.decode("utf-8", "surrogateescape")
    if not text or text.startswith("/"):
        return True
    where = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    return where == ".." or where.startswith("../")
