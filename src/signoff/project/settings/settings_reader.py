"""Read the settings from `signoff.toml` or `pyproject.toml`, with the source of each value. Pure.

It works on bytes, for a run on those of its base commit. A settings file with an error yields no settings at
all: falling back to the defaults would weaken the checks in silence.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.settings import CheckSettings, ExtraCheck, SettingOrigin, Settings
from signoff.domain.work.strategies import RESERVED
from signoff.text.json.decode import DecodeCode, convert
from signoff.text.json.json_text import read_text
from signoff.text.json.violation_list import Findings, below, fault
from signoff.text.repo_paths import why_outside

SIGNOFF_TOML: Final = "signoff.toml"
PYPROJECT: Final = "pyproject.toml [tool.signoff]"
DEFAULT: Final = "default"
MAX_BYTES: Final = 1_000_000

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_TABLE = re.compile(r"\s*\[{1,2}([^\[\]]+)\]")
_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\]):(\{port\}|[0-9]{1,5})(/.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*[=.]")


class SettingsCode(StrEnum):
    """What can be wrong with settings beyond the types of their values."""

    SETTINGS_IGNORED = "settings-ignored"
    NAME_TAKEN = "name-taken"
    SERVER_UNREADY = "server-unready"
    NOT_LOOPBACK = "not-loopback"
    PATH_OUTSIDE = "path-outside"


class Override(NamedTuple):
    """A value given on the command line: `Override("agent.name", "command", "--agent")`."""

    name: str
    value: object
    flag: str


class ReadSettings(NamedTuple):
    """The settings, or None if there is an error, and every value with its source."""

    settings: Settings | None
    origins: tuple[SettingOrigin, ...]
    violations: tuple[Violation, ...]


class _SettingsFile(NamedTuple):
    """A parsed file: its settings, None if it has none, and its text to find lines in."""

    table: object
    text: str = ""
    prefix: str = ""
    violations: tuple[Violation, ...] = ()


def read_settings(
    signoff_toml: bytes | None, pyproject: bytes | None, overrides: Sequence[Override] = ()
) -> ReadSettings:
    """Return the settings. `signoff.toml` replaces `[tool.signoff]` as a whole, and a flag overrides either.

    Errors of every stage are collected (syntax, types, further checks) before any of them decides.
    """
    own = _parse(signoff_toml, "") if signoff_toml is not None else _SettingsFile(None)
    shared = _parse(pyproject, "tool.signoff") if pyproject is not None else _SettingsFile(None)
    findings = Findings(own.violations)
    if signoff_toml is None:
        findings.extend(shared.violations)
    elif shared.table is not None or shared.violations:
        findings.add(
            fault(
                SettingsCode.SETTINGS_IGNORED,
                f"{SIGNOFF_TOML} is there, so {PYPROJECT} is not read",
                fix="keep the settings in one of the two",
                severity=Severity.WARNING,
            )
        )
    chosen, source = (own, SIGNOFF_TOML) if signoff_toml is not None else (shared, PYPROJECT)
    table: object = chosen.table if chosen.table is not None else {}
    for name, value, _ in overrides:
        table = _set(table, name.split("."), value)
    decoded = convert(table, Settings)
    flags = {override.name: override.flag for override in overrides}
    wrong = (*decoded.violations, *(_wrong_extras(decoded.value.checks) if decoded.value else ()))
    findings.extend(_located(wrong, chosen, flags))
    if decoded.value is None or findings.has_errors:
        return ReadSettings(None, (), findings.all())
    origins = tuple(_origins(decoded.value, chosen.table, source, flags))
    return ReadSettings(decoded.value, origins, findings.all())


def _parse(data: bytes, prefix: str) -> _SettingsFile:
    text, before = read_text(data, MAX_BYTES)
    if text is None:
        return _SettingsFile(None, violations=before)
    try:
        found: object = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        wrong = fault(DecodeCode.SYNTAX_ERROR, f"not TOML: {error}", line=line, fix="write valid TOML")
        return _SettingsFile(None, text, prefix, (*before, wrong))
    except RecursionError:
        return _SettingsFile(
            None, text, prefix, (*before, fault(DecodeCode.TOO_DEEP, "nested too deep", fix="flatten it"))
        )
    for key in filter(None, prefix.split(".")):
        found = found.get(key) if isinstance(found, dict) else None
    return _SettingsFile(found, text, prefix, before)


def _set(table: object, keys: list[str], value: object) -> object:
    if not keys:
        return value
    if not isinstance(table, Mapping):
        return table
    return {**table, keys[0]: _set(table.get(keys[0], {}), keys[1:], value)}


def _origins(
    settings: Any, table: object, source: str, flags: Mapping[str, str], parent: str = ""
) -> Iterator[SettingOrigin]:
    for field in msgspec.structs.fields(settings):
        name = f"{parent}.{field.name}" if parent else field.name
        value = getattr(settings, field.name)
        given = isinstance(table, Mapping) and field.encode_name in table
        inner = table[field.encode_name] if isinstance(table, Mapping) and given else None
        if isinstance(value, msgspec.Struct):
            yield from _origins(value, inner, source, flags, name)
        else:
            origin = flags.get(name) or (source if given else DEFAULT)
            yield SettingOrigin(
                name=name,
                value=("" if value is None else json.dumps(msgspec.to_builtins(value), ensure_ascii=False)),
                source=origin,
            )


def _located(
    violations: tuple[Violation, ...], file: _SettingsFile, flags: Mapping[str, str]
) -> Iterator[Violation]:
    """Yield each violation with the line, or the flag, that it comes from."""
    lines = _lines(file) if violations else {}
    for violation in violations:
        path = violation.path
        if flag := flags.get(path.removeprefix("/").replace("/", ".")):
            yield msgspec.structs.replace(violation, message=f"{flag}: {violation.message}")
            continue
        while path and path not in lines:
            path = path.rpartition("/")[0]
        yield msgspec.structs.replace(violation, line=lines.get(path))


def _lines(file: _SettingsFile) -> dict[str, int]:
    """Return the line of each table and of each plain key, good enough to point a person to it."""
    found: dict[str, int] = {}
    root = below("", *filter(None, file.prefix.split(".")))
    table = ""
    for number, line in enumerate(file.text.split("\n"), start=1):
        path = ""
        if match := _TABLE.match(line):
            path = table = below("", *(part.strip(" \"'") for part in match[1].split(".")))
        elif match := _KEY.match(line):
            path = below(table, match[1])
        if path and f"{path}/".startswith(f"{root}/"):
            found.setdefault(path.removeprefix(root), number)
    return found


# --- further checks ---


def _wrong_extras(settings: CheckSettings) -> Iterator[Violation]:
    """Yield what is wrong with the `[[checks.extra]]` beyond their types."""
    seen: set[str] = set()
    for number, extra in enumerate(settings.extra):
        path = below("/checks/extra", str(number))
        if extra.name in RESERVED or extra.name in seen:
            message = f"there is a gate {extra.name} already"
            yield fault(SettingsCode.NAME_TAKEN, message, below(path, "name"), fix="choose another name")
        seen.add(extra.name)
        yield from _wrong_server(extra, path)
        if extra.report is not None and (why := why_outside(extra.report)):
            message = f"{extra.report!r} {why}"
            yield fault(
                SettingsCode.PATH_OUTSIDE, message, below(path, "report"), fix="name a file of the tree"
            )


def _wrong_server(extra: ExtraCheck, path: str) -> Iterator[Violation]:
    # A server needs exactly one sign that it is ready, and a sign or a port needs a server.
    signs = [sign for sign in (extra.ready_url, extra.ready_port) if sign is not None]
    if extra.serve is not None and len(signs) != 1:
        message = "it is not said, or said twice, when the server is ready"
        yield fault(
            SettingsCode.SERVER_UNREADY, message, below(path, "serve"), fix="give ready_url or ready_port"
        )
    mentions = any("{port}" in word for word in (*extra.command, extra.ready_url or ""))
    if extra.serve is None and (signs or mentions):
        yield fault(SettingsCode.SERVER_UNREADY, "there is no server to wait for", path, fix="give serve")
    if extra.ready_url is not None and not _LOOPBACK.fullmatch(extra.ready_url):
        message = f"{extra.ready_url!r} is not http on this machine with a port"
        fix = "such as http://127.0.0.1:{port}/health"
        yield fault(SettingsCode.NOT_LOOPBACK, message, below(path, "ready_url"), fix=fix)
