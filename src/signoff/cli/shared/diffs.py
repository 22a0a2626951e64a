"""The diff that a command judges, read from a file or standard input."""

from signoff.cli.shared.files import read_file
from signoff.domain.base.errors import ConfigError
from signoff.text.formats.unified_diff import Diff, Problem, looks_like_diff, parse_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def read_diff(path: str) -> Diff:
    """Read a diff from a file or standard input. An empty one changes nothing, any other text is an error."""
    return whole(path, decoded(read_file(path)))


def decoded(data: bytes) -> str:
    """Return bytes as text: UTF-16 with a byte order mark, else UTF-8 with any other byte as a surrogate."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def whole(name: str, text: str) -> Diff:
    """Parse a diff, or raise if any part of it cannot be read."""
    diff = parse_diff(text)
    if diff.problems:
        raise _unreadable(name, diff.problems[0])
    if not diff.files and not diff.notes and text.strip() and not looks_like_diff(text):
        raise _unreadable(name, Problem("diff-none", 1, "there is no unified diff in it"))
    return diff


def _unreadable(name: str, problem: Problem) -> ConfigError:
    return ConfigError(
        f"{'standard input' if name == '-' else name} is not a diff that can be judged",
        slug="diff-unreadable",
        why=f"line {problem.line}: {problem.message} ({problem.code})",
        fix="give the output of `git diff` or `diff -u`, whole",
    )


def existing(folder: str) -> str:
    """Return the absolute path of a folder, or raise if there is none."""
    import os

    from signoff.domain.base.errors import UsageError

    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}", slug="folder-missing", fix="check its name")
    return os.path.abspath(folder)


def unseen(diff: Diff) -> "Iterator[str]":
    """Yield a sentence for each change that a diff mentions without showing it."""
    yield from (f"not judged, because the diff does not show it: {note}" for note in diff.notes)
