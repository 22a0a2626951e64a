"""The contract blocks of a plan as checks. Pure, called by the task reader.

A block says either exactly what is checked (`Path`, `Pattern`, `Exit code`: what the page of a contract
writes) or gives a command for a shell and what it must show, which is translated where that is safe.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from signoff.contracts.compile.expectations import Expected
from signoff.contracts.compile.plan_gaps import GapCode, Notes
from signoff.contracts.compile.plan_outline import Block, BlockKind, Part
from signoff.contracts.compile.shell_calls import Translated, Untranslated
from signoff.contracts.compile.shell_idioms import translate
from signoff.domain.work.check_kinds import command_of
from signoff.domain.work.checks import (
    Behavioral,
    CommandExit,
    ContractCheck,
    Evidence,
    Expectation,
    FileExists,
    GrepMatch,
    RunTests,
)
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.violation_list import shown
from signoff.text.plan_prose import code_in, pieces, read_item, read_text, split

CHECK_TYPE: Final = "check type"
TYPES: Final = ("file-exists", "grep-match", "command-exit", "behavioral", "tests")

_OF_EVERY_CHECK: Final = frozenset({CHECK_TYPE, "id", "guard", "expected", "fail if"})
_OF_COMMANDS: Final = frozenset({"command", "exit code", "folder", "timeout", "output matches", "once"})
_OWN: Final[Mapping[str, frozenset[str]]] = {
    "file-exists": frozenset({"command", "path", "contains"}),
    "grep-match": frozenset({"command", "path", "pattern", "expect"}),
    "command-exit": _OF_COMMANDS,
    "behavioral": frozenset({"command", "evidence"}),
    "tests": frozenset({"select"}),
}
CHECK_LABELS: Final = _OF_EVERY_CHECK.union(*_OWN.values())

_NUMBER = re.compile(r"-?[0-9]{1,9}")
_TIME = re.compile(r"([0-9]{1,9})[ \t]*(ms|s)?")
_DASH = re.compile(r"(?:—|–|--?)[ \t]+")
_MATCHER = re.compile(r"/(.+?)/(?=$|[ \t]+(?:—|–|--?)[ \t])")
_ARROW = re.compile(r"[ \t]*(?:→|⇒|->|=>)[ \t]*")
_EVIDENCE_FIX: Final = (
    "write below it: **Evidence:** and a bullet such as: - `src/a.py` /regex/ — what it shows"
)


def read_block(parts: Sequence[Part], line: int, notes: Notes) -> JsonObject | None:
    """Return the check of one contract block, or None with a gap that says why."""
    block = _CheckBlock(parts, line, notes)
    check = block.check()
    return None if check is None else document(check)


def read_validation(bullet: Block, notes: Notes) -> JsonObject | None:
    """Return the check for a validation bullet: a command, an arrow, and what it must show."""
    found = list(pieces(bullet.source))
    if not found or not found[0].is_code:
        message = "the bullet does not begin with a command in backticks"
        notes.gap(bullet.line, GapCode.NO_COMMAND, message, "write: - `command` → what it must show")
        return None
    rest = bullet.source[len(found[0].source) :]
    arrow = _ARROW.match(rest)
    if arrow is None or not rest[arrow.end() :]:
        notes.gap(bullet.line, GapCode.NO_EXPECTED, "the bullet does not say what the command must show")
        return None
    expected = Expected(read_text(rest[arrow.end() :]))
    check = _translated(code_in(found[0].source), expected, "", bullet.line, notes)
    return None if check is None else document(check)


def document(check: ContractCheck) -> JsonObject:
    """Return a check as it stands in a file."""
    plain: JsonObject = msgspec.json.decode(msgspec.json.encode(check))
    if ran := command_of(check):
        words = {"command": ran.command, "args": list(ran.args)}
        return {"type": plain["type"], **words, **plain}
    return plain


class _Taken(NamedTuple):
    """The first word or code span of a text, and what follows it."""

    value: str
    rest: str


class _CheckBlock:
    """One block while it is read."""

    def __init__(self, parts: Sequence[Part], line: int, notes: Notes) -> None:
        self._labels: dict[str, Part] = {}
        for part in parts:
            self._labels.setdefault(part.label, part)
        self._notes = notes
        self._line = self._labels[CHECK_TYPE].line if CHECK_TYPE in self._labels else line

    def check(self) -> ContractCheck | None:
        kind = (self._item(CHECK_TYPE) or "").casefold()
        check = self._of_kind(kind)
        if kind in TYPES:
            known = _OF_EVERY_CHECK | (_OF_COMMANDS if check and command_of(check) else _OWN[kind])
            for label, part in self._labels.items():
                if label and label not in known:
                    self._notes.warn(part.line, GapCode.NOT_READ, f"a {kind} check has no {shown(label)}")
        return None if check is None else self._with_extras(check)

    def _of_kind(self, kind: str) -> ContractCheck | None:
        """Build the check of the block's type. Exact labels come first, and a command is translated.

        The order of the cases matters: a type without its exact labels falls through to the translation.
        """
        match kind:
            case "file-exists" if "path" in self._labels:
                path = self._needed("path", GapCode.NO_PATH)
                return FileExists(path=path, must_contain=self._item("contains"))
            case "grep-match" if "path" in self._labels or "pattern" in self._labels:
                return self._grep_match()
            case "command-exit" if "exit code" in self._labels:
                return self._command_exit()
            case "behavioral":
                return self._behavioral()
            case "tests":
                part = self._labels.get("select")
                return RunTests(select=tuple(map(read_item, split(part.source, ",") if part else ())))
            case "file-exists" | "grep-match" | "command-exit":
                return self._shell(kind)
            case _:
                message = f"{shown(kind)} is not a type of check" if kind else "the block has no check type"
                self._gap(CHECK_TYPE, GapCode.UNKNOWN_CHECK_TYPE, message, f"write one of {', '.join(TYPES)}")
                return None

    def _grep_match(self) -> GrepMatch:
        expect = self._item("expect") or Expectation.PRESENT
        if expect not in tuple(Expectation):
            self._unreadable("expect", "write present or absent")
            expect = Expectation.PRESENT
        return GrepMatch(
            path=self._needed("path", GapCode.NO_PATH),
            pattern=self._needed("pattern", GapCode.NO_PATTERN),
            expect=Expectation(expect),
        )

    def _command_exit(self) -> CommandExit | None:
        try:
            words = shlex.split(self._item("command") or "")
        except ValueError:
            self._unreadable("command", "close the quote")
            return None
        if not words:
            self._gap("command", GapCode.NO_COMMAND, "the block has no command")
            return None
        return CommandExit(
            command=words[0], args=tuple(words[1:]), expected_exit=self._number("exit code") or 0
        )

    def _behavioral(self) -> Behavioral | None:
        said = self._labels.get("expected") or self._labels.get("command")
        if said is None or not said.source:
            message = "the block does not say what must be seen"
            self._gap("expected", GapCode.NO_EXPECTED, message, "write **Expected:** and what must be seen")
            return None
        description = read_text(said.source)
        if (fail_if := self._labels.get("fail if")) and fail_if.source:
            description += f"\nFail if: {read_text(fail_if.source)}"
        return Behavioral(description=description, evidence_required=self._evidence())

    def _evidence(self) -> tuple[Evidence, ...]:
        part = self._labels.get("evidence")
        bullets = (part.bullets or part.blocks) if part else ()
        if not bullets:
            message = "nothing says which lines of which files would show this behaviour"
            self._notes.gap(self._line, GapCode.NO_EVIDENCE, message, _EVIDENCE_FIX)
        return tuple(item for item in map(self._evidence_item, bullets) if item)

    def _evidence_item(self, bullet: Block) -> Evidence | None:
        path, rest = _first_value(bullet.source)
        matcher: str | None = None
        if rest.startswith("matches "):
            matcher, rest = _first_value(rest.removeprefix("matches "))
        elif found := _MATCHER.match(rest):
            matcher, rest = found[1], rest[found.end() :].lstrip(" \t")
        elif rest.startswith("`") and (quoted := _first_value(rest)).value.startswith("/"):
            matcher, rest = quoted.value.removeprefix("/").removesuffix("/"), quoted.rest
        dash = _DASH.match(rest)
        if dash is None or not rest[dash.end() :]:
            message = "the bullet does not name a path and what its cited line shows"
            fix = "write: - `src/a.py` /regex/ — what it shows"
            self._notes.gap(bullet.line, GapCode.UNREADABLE_VALUE, message, fix)
            return None
        return Evidence(path=path, matcher=matcher, description=read_text(rest[dash.end() :]))

    def _shell(self, kind: str) -> ContractCheck | None:
        command = _command(self._labels.get("command"))
        expected = self._labels.get("expected")
        if not command:
            self._gap("command", GapCode.NO_COMMAND, "the block has no command")
        if expected is None or not expected.source:
            message = "the block does not say what the command must show"
            self._gap("expected", GapCode.NO_EXPECTED, message, "write **Expected:** and what it must show")
        if not command or expected is None or not expected.source:
            return None
        fail_if = self._labels.get("fail if")
        said = Expected(read_text(expected.source), read_text(fail_if.source) if fail_if else "")
        return _translated(command, said, kind, self._labels["command"].line, self._notes)

    def _with_extras(self, check: ContractCheck) -> ContractCheck:
        """Lay what the block says exactly over what its command was translated to."""
        extras: dict[str, object] = {"id": self._item("id") or None, "guard": self._flag("guard")}
        if command_of(check):
            extras |= {
                "cwd": self._item("folder"),
                "timeout_ms": self._time("timeout"),
                "expect_stdout_match": self._item("output matches"),
                "once": self._flag("once"),
            }
        return replace(check, **{name: value for name, value in extras.items() if value is not None})

    def _item(self, label: str) -> str | None:
        part = self._labels.get(label)
        if part is None or not part.blocks:
            return None
        return part.source if part.blocks[0].kind is BlockKind.CODE else read_item(part.source)

    def _needed(self, label: str, code: GapCode) -> str:
        value = self._item(label)
        if not value:
            self._gap(
                label, code, f"the block has no {label}", f"write **{label.capitalize()}:** and its value"
            )
        return value or ""

    def _number(self, label: str) -> int | None:
        value = self._item(label)
        if value is not None and not _NUMBER.fullmatch(value):
            self._unreadable(label, "write a whole number")
            return None
        return None if value is None else int(value)

    def _time(self, label: str) -> int | None:
        value = self._item(label)
        found = _TIME.fullmatch(value or "")
        if value is not None and not found:
            self._unreadable(label, "write a number of milliseconds, such as 30000 ms")
        return int(found[1]) * (1000 if found[2] == "s" else 1) if found else None

    def _flag(self, label: str) -> bool | None:
        value = self._item(label)
        if value is not None and value.casefold() not in ("yes", "no"):
            self._unreadable(label, "write yes or no")
        return None if value is None else value.casefold() == "yes"

    def _unreadable(self, label: str, fix: str) -> None:
        message = f"{shown(self._item(label) or '')} cannot be read as {label}"
        self._gap(label, GapCode.UNREADABLE_VALUE, message, fix)

    def _gap(self, label: str, code: GapCode, message: str, fix: str = "") -> None:
        """Note a gap at its label, or where the block begins when that is missing."""
        part = self._labels.get(label)
        self._notes.gap(part.line if part else self._line, code, message, fix)


def _translated(command: str, expected: Expected, kind: str, line: int, notes: Notes) -> ContractCheck | None:
    match translate(command, expected, kind):
        case Translated(check, note):
            if note:
                notes.warn(line, GapCode.TRANSLATED_COMMAND, note)
            return check
        case Untranslated(why):
            notes.gap(line, GapCode.UNTRANSLATED_COMMAND, why)
            return None


def _command(part: Part | None) -> str:
    """Return the command of a block: its code if there is any, else the text, and never unescaped."""
    if part is None:
        return ""
    code = next((block for block in part.blocks if block.kind is BlockKind.CODE), None)
    spans = (piece for piece in pieces(part.source) if piece.is_code)
    if (span := next(spans, None)) and (code is None or code is not part.blocks[0]):
        return code_in(span.source)
    return code.source if code else part.source


def _first_value(source: str) -> _Taken:
    found = next(pieces(source), None)
    if found and found.is_code:
        return _Taken(code_in(found.source), source[len(found.source) :].strip(" \t"))
    word, _, rest = source.partition(" ")
    return _Taken(read_text(word), rest.strip(" \t"))
