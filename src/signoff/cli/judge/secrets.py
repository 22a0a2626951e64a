"""The action of `signoff secrets`."""

import os
from typing import NamedTuple

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.diffs import decoded, existing, unseen, whole
from signoff.cli.shared.files import LARGEST, open_regular, read_file, readable, unreadable_file
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.judges.secrets.secret_scan import (
    Allow,
    Secret,
    read_allow_list,
    scan_bytes,
    scan_diff_file,
    scan_lines,
)
from signoff.text.formats.unified_diff import looks_like_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PEEK = 8_192
_BINARY = "binary"
_NO_FOLDERS = frozenset({".git", ".hg", ".svn"})


class _Skipped(NamedTuple):
    path: str
    why: str


class _Scan:
    """The findings of a scan so far, and the files that were passed over."""

    def __init__(self) -> None:
        self.secrets: list[Secret] = []
        self.skipped: list[_Skipped] = []
        self.files = 0

    @property
    def unread(self) -> list[_Skipped]:
        """The files that may hold a secret and were not scanned."""
        return [skipped for skipped in self.skipped if skipped.why != _BINARY]


def run(options: Options, say: Output) -> int:
    """Scan, print the findings and return the exit code."""
    if options.staged and options.paths:
        raise UsageError("--staged and paths exclude each other", slug="usage", fix="leave one of them out")
    entries = _entries(options.allow) if options.allow else ()
    seen = _Scan()
    if options.staged:
        from signoff.wiring import staged_diff

        _scan_diff("what is staged", staged_diff(existing(options.root)), seen, say)
    elif options.paths:
        for path in options.paths:
            _scan_named(_place(path, options.root), seen, say)
    else:
        _scan_project(options.root, seen)
    findings, allowed = _split_allowed(seen.secrets, entries)
    say.result(_document(seen, findings, allowed), _report(seen, findings, allowed))
    for skipped in seen.unread:
        say.note(f"not scanned: {readable(skipped.path)}: {skipped.why}")
    return 1 if findings else 2 if seen.unread else 0


def _place(path: str, root: str) -> str:
    """Return where a path is: from here, or else from the folder that -C names."""
    inside = os.path.join(root, path)
    return inside if path != "-" and not os.path.lexists(path) and os.path.lexists(inside) else path


def _scan_named(path: str, seen: _Scan, say: Output) -> None:
    if path != "-" and os.path.isdir(path):
        _scan_files(_below(path, seen), seen)
        return
    data = read_file(path)
    text = decoded(data)
    if looks_like_diff(text):
        _scan_diff(path, text, seen, say)
    else:
        _scan_data(path, data, seen)


def _scan_diff(name: str, text: str, seen: _Scan, say: Output) -> None:
    """Scan the added lines, and the text around the files: a message, or what only looks like a diff."""
    diff = whole(name, text)
    seen.secrets += scan_lines(name, diff.around)
    for file in diff.files:
        seen.files += 1
        if file.is_binary:
            seen.skipped.append(_Skipped(file.path, _BINARY))
        else:
            seen.secrets += scan_diff_file(file)
    for sentence in unseen(diff):
        say.note(sentence)


def _scan_project(root: str, seen: _Scan) -> None:
    from signoff.wiring import project

    tree = project(existing(root))
    paths = sorted(tree.paths())
    if paths:
        _scan_files(((path, os.path.join(tree.root, path)) for path in paths), seen)
        return
    top = tree.root.rstrip("/") + "/"
    _scan_files(((place.removeprefix(top), place) for _, place in _below(tree.root, seen)), seen)


def _below(folder: str, seen: _Scan) -> "Iterator[tuple[str, str]]":
    """Yield every file below a folder with its name and place, without following links."""

    def complain(error: OSError) -> None:
        seen.skipped.append(_Skipped(str(error.filename), str(error.strerror)))

    for place, folders, files in os.walk(folder, onerror=complain):
        folders[:] = sorted(name for name in folders if name not in _NO_FOLDERS)
        for name in sorted(files):
            path = os.path.join(place, name)
            if not os.path.islink(path):
                yield path, path


def _scan_files(files: "Iterator[tuple[str, str]]", seen: _Scan) -> None:
    for path, place in files:
        try:
            if os.path.islink(place):
                continue
            with open_regular(place) as file:
                start = file.read(_PEEK)
                data = start if _is_binary(start) else start + file.read(LARGEST + 1 - len(start))
        except OSError as error:
            seen.skipped.append(_Skipped(path, str(unreadable_file(path, error).why)))
            continue
        if len(data) > LARGEST:
            seen.skipped.append(_Skipped(path, f"larger than {LARGEST} bytes"))
        else:
            _scan_data(path, data, seen)


def _scan_data(path: str, data: bytes, seen: _Scan) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = decoded(data).encode("utf-8", "surrogateescape")
    seen.files += 1
    if _is_binary(data):
        seen.skipped.append(_Skipped(path, _BINARY))
    else:
        seen.secrets += scan_bytes(path, data)


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_PEEK] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def _entries(path: str) -> tuple[Allow, ...]:
    found = read_allow_list(read_file(path))
    if found.problems:
        raise ConfigError(
            f"{path} is no list of allowed secrets",
            slug="allow-list-invalid",
            why="; ".join(found.problems),
            fix="each [[allow]] has a reason, and a path or the sha256 of the value",
        )
    return found.entries


def _split_allowed(
    secrets: list[Secret], entries: tuple[Allow, ...]
) -> tuple[list[Secret], list[tuple[Secret, str]]]:
    findings: list[Secret] = []
    allowed: list[tuple[Secret, str]] = []
    for secret in secrets:
        reason = secret.reason or next((entry.reason for entry in entries if entry.fits(secret)), "")
        if reason:
            allowed.append((secret, reason))
        else:
            findings.append(secret)
    return findings, allowed


def _document(seen: _Scan, findings: list[Secret], allowed: list[tuple[Secret, str]]) -> dict[str, object]:
    return {
        "ok": not findings and not seen.unread,
        "findings": [_shown(secret) for secret in findings],
        "allowed": [{**_shown(secret), "reason": reason} for secret, reason in allowed],
        "skipped": [{"path": readable(skipped.path), "why": skipped.why} for skipped in seen.skipped],
        "files": seen.files,
    }


def _shown(secret: Secret) -> dict[str, object]:
    return {
        "path": readable(secret.path),
        "line": secret.line,
        "rule": secret.rule,
        "redacted": secret.redacted,
    }


def _report(seen: _Scan, findings: list[Secret], allowed: list[tuple[Secret, str]]) -> str:
    head = f"{len(findings)} found in {seen.files} file{'' if seen.files == 1 else 's'}"
    head += f", {len(allowed)} allowed" if allowed else ""
    lines = [f"  {readable(s.path)}:{s.line} {s.rule}: {s.redacted}" for s in findings]
    lines += [f"  allowed {readable(s.path)}:{s.line} {s.rule}: {reason}" for s, reason in allowed]
    return "\n".join((f"secrets: {head}", *lines))
