"""Find credentials in files and in the added lines of a diff. Pure.

`signoff secrets` shows the results of `scan_bytes` and `scan_diff_file`. The engine's own gate is
`scan_added_lines`, which ignores allowances: the author of a change must not be the one who permits it. No
result holds a secret, only its first characters, its length and a digest to allow it by.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from signoff.domain.base.findings import Finding
from signoff.domain.base.record import Record
from signoff.judges.secrets import credential_rules
from signoff.judges.secrets.credential_rules import GENERIC, RULE_NAMES, RULES, SERVICE_ACCOUNT, SecretRule
from signoff.text.formats.unified_diff import FileDiff, unquoted
from signoff.text.globs import match_glob

LONGEST_LINE = 1_000
"""Bytes. A longer line was written by a program, and words in it tell nothing about the values beside them.
"""

LONGEST_KEY = 16_000

_LOCK_FILES = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|poetry\.lock|uv\.lock|"
    r"Pipfile\.lock|Cargo\.lock|composer\.lock|Gemfile\.lock|go\.sum|Podfile\.lock|Package\.resolved|"
    r"packages\.lock\.json|gradle\.lockfile|flake\.lock|bun\.lockb?)$|\.min\.(?:js|css)$|\.map$|\.svg$"
)
_NAMES_OF_TESTS = re.compile(r"(?:^|/)\.pytest_cache/v/cache/(?:nodeids|lastfailed)$")
"""Files of test names, which hold the parameters of tests. A made-up secret is reported in the test itself.
"""
_MARKER = re.compile(rb"signoff:\s?allow-secret\b[ \t:,-]*([^\r\n]*)")
_MARKER_REACH = 4_096
_CLOSERS = b" \t*/->}#"


class Secret(NamedTuple):
    """One value that looks like a secret, described without showing it."""

    path: str
    line: int
    rule: str
    redacted: str
    """At most its first four characters, and its length."""
    digest: str
    """SHA-256 of the value, in hex. For allow-lists, not for output: a short value can be guessed from it."""
    reason: str = ""
    """The reason on its line for allowing it, else empty."""


class _Hit(NamedTuple):
    start: int
    order: int
    """The more exact rule has the lower number."""
    end: int
    rule: str
    value: bytes


def scan_bytes(path: str, data: bytes, *, generic: bool = True) -> list[Secret]:
    """Find what looks like a secret in a file's bytes.

    `generic` adds the rules that look at the surroundings.
    """
    found: list[Secret] = []
    line, counted = 1, 0
    for hit in _hits(path, data, generic=generic):
        line += data.count(b"\n", counted, hit.start)
        counted = hit.start
        value = hit.value
        if hit.rule in ("private-key", SERVICE_ACCOUNT):
            # With its body: the first line alone is the same for every key of its kind.
            limit = hit.start + LONGEST_KEY
            end = data.find(b"-----END", hit.start, limit)
            value = data[hit.start : end if end >= 0 else limit]
        digest = hashlib.sha256(value).hexdigest()
        found.append(Secret(path, line, hit.rule, redacted(value), digest, _reason(data, hit)))
    return found


def scan_diff_file(file: FileDiff, *, generic: bool = True) -> list[Secret]:
    """Find what looks like a secret in the lines that a change adds to one file."""
    lines = [(line.new, line.text) for line in file.added]
    return [] if any("\0" in text for _, text in lines) else scan_lines(file.path, lines, generic=generic)


def scan_lines(path: str, lines: list[tuple[int, str]], *, generic: bool = True) -> list[Secret]:
    """Find what looks like a secret in numbered lines, which need not follow one another."""
    data = "\n".join(text for _, text in lines).encode("utf-8", "surrogatepass")
    found = scan_bytes(path, data, generic=generic)
    return [secret._replace(line=lines[secret.line - 1][0]) for secret in found]


def scan_added_lines(diff: str) -> tuple[Finding, ...]:
    """Report each added line that holds something shaped like a provider's secret, never its value."""
    lines: dict[str, list[tuple[int, str]]] = {}
    for path, number, text in added_lines(diff):
        lines.setdefault(path, []).append((number, text))
    return tuple(
        Finding(
            code="secret", path=path, line=secret.line, message=f"looks like a credential ({secret.rule})"
        )
        for path, added in lines.items()
        for secret in scan_lines(path, added, generic=False)
    )


_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def added_lines(diff: str) -> Iterator[tuple[str, int, str]]:
    """Yield path, line number and text of each added line.

    Driven by the hunks' own counts, so that content which looks like a header is never taken for one.
    """
    path, number, old_left, new_left = "", 0, 0, 0
    for line in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            if line.startswith("+"):
                yield path, number, line[1:]
                number, new_left = number + 1, new_left - 1
            elif line.startswith("-"):
                old_left -= 1
            elif not line.startswith("\\"):
                number, old_left, new_left = number + 1, old_left - 1, new_left - 1
        elif line.startswith("+++ "):
            path = unquoted(line[4:].removesuffix("\t")).removeprefix("b/")
        elif found := _HUNK.match(line):
            old_left = int(found[1] or 1)
            number, new_left = int(found[2]), int(found[3] or 1)


# --- searching ---


def _hits(path: str, data: bytes, *, generic: bool) -> list[_Hit]:
    """Return matches that do not overlap, those of the more exact rule where two rules match one place.

    The hits are sorted by place, so an overlap is always with the last one taken. In a service account file
    the private key is reported as a service account.
    """
    generic = generic and not _NAMES_OF_TESTS.search(path)
    found = list(_anchored(data, generic=generic))
    if generic and not _LOCK_FILES.search(path):
        found += _assignments(path, data)
    taken: list[_Hit] = []
    for hit in sorted(found):
        if not taken or taken[-1].end <= hit.start:
            taken.append(hit)
        elif hit.order < taken[-1].order:
            taken[-1] = hit
    is_account = b'"service_account"' in data
    return [
        hit._replace(rule=SERVICE_ACCOUNT) if is_account and hit.rule == "private-key" else hit
        for hit in taken
    ]


def _anchored(data: bytes, *, generic: bool) -> Iterator[_Hit]:
    """Yield the matches of the rules that begin with a literal.

    Each literal is searched for first, and only at its places are the rules tried that begin with it.
    """
    for gate, rules in _gates():
        done = 0
        for opening in gate.finditer(data):
            if opening.start() < done:
                continue
            for order, rule in rules[opening[0]]:
                found = rule.pattern.match(data, opening.start())
                if found is None or not (generic or rule.is_provider) or not rule.accepts(found):
                    continue
                group = "value" if "value" in rule.pattern.groupindex else 0
                if generic and credential_rules.is_documented(found[group]):
                    continue  # the engine's own gate trusts no such name
                if rule.is_provider or not _is_machine_made(data, found.start()):
                    done = found.end()
                    yield _Hit(found.start(group), order, found.end(group), rule.name, found[group])


@cache
def _gates() -> tuple[tuple[re.Pattern[bytes], dict[bytes, list[tuple[int, SecretRule]]]], ...]:
    """Return one pattern for the openings with the same first byte: `re` looks for that byte at memory speed.

    Of two openings where one begins the other, the longer comes first and its rules include the shorter's.
    """
    rules: dict[bytes, list[tuple[int, SecretRule]]] = {}
    for order, rule in enumerate(RULES):
        for opening in rule.openings:
            rules.setdefault(opening, []).append((order, rule))
    full = {
        opening: [each for other in rules if opening.startswith(other) for each in rules[other]]
        for opening in rules
    }
    groups: dict[bytes, list[bytes]] = {}
    for opening in sorted(full, key=len, reverse=True):
        groups.setdefault(opening[:1], []).append(opening)
    return tuple(
        (re.compile(b"|".join(map(re.escape, openings))), {opening: full[opening] for opening in openings})
        for openings in groups.values()
    )


def _assignments(path: str, data: bytes) -> Iterator[_Hit]:
    patterns = [credential_rules.ASSIGNMENT]
    if credential_rules.allows_bare(path):
        patterns.append(credential_rules.BARE_ASSIGNMENT)
    lowered = data.lower()
    for keyword in credential_rules.KEYWORDS:
        at = lowered.find(keyword)
        while at >= 0:
            for pattern in () if _is_machine_made(data, at) else patterns:
                found = pattern.match(data, at)
                if found and credential_rules.assigned(found) is not None:
                    group = next(name for name in "abcd" if found.groupdict().get(name) is not None)
                    yield _Hit(found.start(group), len(RULES), found.end(group), GENERIC, found[group])
                    break
            at = lowered.find(keyword, at + len(keyword))


def _is_machine_made(data: bytes, at: int) -> bool:
    start, end = _line_around(data, at, LONGEST_LINE + 1)
    return end - start > LONGEST_LINE


def _line_around(data: bytes, at: int, reach: int) -> tuple[int, int]:
    """Return where the line begins and ends, looking no further than `reach` bytes.

    A file may be one endless line.
    """
    first, last = max(0, at - reach), min(len(data), at + reach)
    start, end = data.rfind(b"\n", first, at), data.find(b"\n", at, last)
    return (start + 1 if start >= 0 else first), (end if end >= 0 else last)


# --- telling ---


def redacted(value: bytes) -> str:
    """Return what may be shown of a secret: up to four characters, fewer of a short one, and its length."""
    text = value.decode("utf-8", "replace")
    start = "".join(char if char.isprintable() else "?" for char in text[: min(4, len(text) // 4)])
    return f"{start}… ({len(text)} characters)"


def _reason(data: bytes, hit: _Hit) -> str:
    """Return the reason behind `signoff: allow-secret` on the line, else empty.

    The marker alone is no allowance.
    """
    start, end = _line_around(data, hit.start, _MARKER_REACH)
    found = _MARKER.search(data, start, end)
    return found[1].strip(_CLOSERS).decode("utf-8", "replace") if found else ""


# --- allow-lists ---


class Allow(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry, of which every field that is set must fit."""

    reason: str
    rule: str = ""
    path: str = ""
    """A glob on the path as it is reported."""
    sha256: str = ""
    """Of the value, in hex."""

    def fits(self, secret: Secret) -> bool:
        """Check whether the entry is about this finding."""
        return (
            self.rule in ("", secret.rule)
            and (not self.path or match_glob(secret.path.removeprefix("./"), self.path))
            and self.sha256.lower() in ("", secret.digest)
        )


class AllowList(NamedTuple):
    """The entries, or the problems of the file."""

    entries: tuple[Allow, ...]
    problems: tuple[str, ...]


class _AllowFile(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allow: tuple[Allow, ...] = ()


def read_allow_list(data: bytes) -> AllowList:
    """Read the TOML of an allow-list.

    An entry without a reason, or one that allows everything, is a problem.
    """
    try:
        found = msgspec.convert(tomllib.loads(data.decode("utf-8")), _AllowFile)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        return AllowList((), (str(error),))
    problems = [
        f"entry {number}: {problem}"
        for number, entry in enumerate(found.allow, 1)
        for problem in _entry_problems(entry)
    ]
    return AllowList(() if problems else found.allow, tuple(problems))


def _entry_problems(entry: Allow) -> Iterable[str]:
    if not entry.reason.strip():
        yield "it has no reason"
    if not entry.path and not entry.sha256:
        yield "it names neither a path nor a sha256, and would switch the rule off everywhere"
    if entry.rule and entry.rule not in RULE_NAMES:
        yield f"there is no rule {entry.rule}"
    if entry.sha256 and not re.fullmatch(r"[0-9a-fA-F]{64}", entry.sha256):
        yield "sha256 is not 64 hexadecimal digits"
