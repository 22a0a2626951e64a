"""Secrets that are known and allowed, each with its reason. Pure; for `signoff secrets --allow`."""

import re
import tomllib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from signoff.core.globs import match_glob
from signoff.core.secret_rules import RULE_NAMES
from signoff.core.secret_scan import Secret
from signoff.domain.record import Record


class Allow(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry; everything it names must fit."""

    reason: str
    rule: str = ""
    path: str = ""
    """A glob on the path as it is reported."""
    sha256: str = ""
    """Of the value, in hex."""

    def fits(self, secret: Secret) -> bool:
        """Say whether the entry is about this finding."""
        return (
            self.rule in ("", secret.rule)
            and (not self.path or match_glob(secret.path.removeprefix("./"), self.path))
            and self.sha256.lower() in ("", secret.digest)
        )


class AllowList(NamedTuple):
    """The entries, or what is wrong with the file."""

    entries: tuple[Allow, ...]
    problems: tuple[str, ...]


class _File(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    allow: tuple[Allow, ...] = ()


def read_allow_list(data: bytes) -> AllowList:
    """Read the TOML of an allow-list; an entry without a reason, or that allows everything, is a problem."""
    try:
        found = msgspec.convert(tomllib.loads(data.decode("utf-8")), _File)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        return AllowList((), (str(error),))
    problems = [
        f"entry {number}: {problem}"
        for number, entry in enumerate(found.allow, 1)
        for problem in _wrong(entry)
    ]
    return AllowList(() if problems else found.allow, tuple(problems))


def _wrong(entry: Allow) -> Iterable[str]:
    if not entry.reason.strip():
        yield "it has no reason"
    if not entry.path and not entry.sha256:
        yield "it names neither a path nor a sha256, and would switch the rule off everywhere"
    if entry.rule and entry.rule not in RULE_NAMES:
        yield f"there is no rule {entry.rule}"
    if entry.sha256 and not re.fullmatch(r"[0-9a-fA-F]{64}", entry.sha256):
        yield "sha256 is not 64 hexadecimal digits"
