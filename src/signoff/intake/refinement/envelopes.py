"""Parse the data of a state file into a `Want`, and make such data from a ticket, prompt, diff or path.

Pure. No value in the data is trusted to have its type: a mistake is noted with its place, never raised.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec.structs import replace

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.refinement import RefineFault
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.domain.work.work_state import JsonObject, WorkInput
from signoff.intake.refinement.requests import ChangedFile, Want
from signoff.intake.refinement.text_words import LONGEST_TEXT
from signoff.intake.ticket_files import is_json_ticket, ticket_of
from signoff.intake.ticket_markdown import read_page
from signoff.text.json.json_text import read_json, read_text
from signoff.text.json.violation_list import Findings, below, fault
from signoff.text.lazy_patterns import pattern
from signoff.text.repo_paths import why_outside

Envelope = WorkInput | tuple[Violation, ...]
"""An envelope, or every mistake in what it was to be made of."""

_MAX_DEPTH: Final = 100
_MOST_ITEMS: Final = 1_000
_MOST_FILES: Final = 10_000
_LONGEST_DIFF: Final = 8_000_000
_MARKERS: Final = ("diff --git ", "--- ", "+++ ", "@@ ", "Index: ")
_ADDRESSES: Final = ("http://", "https://", "ftp://", "file://")
_SURROGATE: Final = pattern("[\ud800-\udfff]")
_FILE_LINE: Final = pattern(
    r"""^(?:---[ ](?P<old>[^\n\t]+)
          |\+\+\+[ ](?P<new>[^\n\t]+)
          |diff[ ]--git[ ](?P<both>[^\n]+)
          |rename[ ]to[ ](?P<moved>[^\n]+)
          |Index:[ ](?P<index>[^\n]+))""",
    re.VERBOSE | re.MULTILINE,
)


def read_input(kind: InputKind, data: object) -> Want:
    """Parse the data of an envelope.

    Any JSON at all returns a `Want`; mistakes are in its `violations`.
    """
    findings = Findings()
    if not isinstance(data, dict):
        return Want(kind=kind, violations=(_malformed("the data of an envelope is an object"),))
    if _is_too_deep(data):
        return Want(kind=kind, violations=(_malformed(f"nested deeper than {_MAX_DEPTH} levels"),))
    return _EnvelopeReader(kind, data, findings).want()


def envelope_from_ticket(data: bytes, name: str) -> Envelope:
    """Make an envelope of a ticket file, with JSON kept as its tracker wrote it."""
    if is_json_ticket(data, name):
        text, value, wrong = read_json(data)
        errors = tuple(one for one in wrong if one.severity is Severity.ERROR)
        if text is None or errors:
            return _as_malformed(errors)
        if not isinstance(value, dict):
            return (_malformed("a ticket is an object", fix="write an object"),)
        return WorkInput(kind=InputKind.TICKET, data=value)
    page_text, wrong = read_text(data)
    if page_text is None:
        return _as_malformed(wrong)
    if not page_text.strip():
        return (_malformed("there is nothing to read", fix="write down what is wanted"),)
    page = read_page(page_text)
    made: JsonObject = {
        "id": page.id,
        "title": page.title,
        "body": page.body,
        "acceptance_criteria": list(page.criteria),
        "source": name,
    }
    return WorkInput(kind=InputKind.TICKET, data=made)


def envelope_from_prompt(text: str) -> Envelope:
    """Make an envelope of free text."""
    return _unrefined(InputKind.PROMPT, text)


def envelope_from_diff(text: str) -> Envelope:
    """Make an envelope of a diff, which must have a line that only diffs have."""
    return _unrefined(InputKind.DIFF, text)


def envelope_from_path(text: str) -> Envelope:
    """Make an envelope of the path of a file: the first line of the text."""
    return _unrefined(InputKind.FILE, text.strip().partition("\n")[0].strip())


def _unrefined(kind: InputKind, text: str) -> Envelope:
    shape = _SHAPES[kind]
    if why := _why_unreadable(text, shape.longest) or shape.why_not(text):
        return (_malformed(f"{shape.name} {why}", fix=shape.fix),)
    return WorkInput(kind=kind, data={shape.key: text, "reconstructed_ac": [], "assumptions": []})


class _Shape(NamedTuple):
    """What the data of an envelope must hold, by its kind."""

    key: str
    name: str
    longest: int
    fix: str
    why_not: Callable[[str], str]


class _EnvelopeReader:
    """A parser of the data that takes the keys it knows, notes mistakes, and ignores all other keys."""

    def __init__(self, kind: InputKind, data: JsonObject, findings: Findings) -> None:
        self._kind, self._data, self._findings = kind, data, findings

    def want(self) -> Want:
        # A ticket that happens to have a `raw` is a ticket: the kind decides, not the keys.
        is_ticket = self._kind is InputKind.TICKET
        text = "" if is_ticket else self._required(_SHAPES[self._kind])
        is_file = self._kind is InputKind.FILE
        return Want(
            kind=self._kind,
            ticket=self._ticket(),
            raw="" if is_file else text,
            path=text.strip() if is_file else "",
            reconstructed_ac=None if is_ticket else self._texts("reconstructed_ac") or None,
            assumptions=() if is_ticket else self._texts("assumptions"),
            confidence_confirmed=self._data.get("confidence_confirmed") is True,
            issue_type=self._issue_type(),
            labels=self._labels(),
            branch=_text_of(self._data.get("branch")),
            files=changed_files(text) if self._kind is InputKind.DIFF else (),
            violations=self._findings.all(),
        )

    def _ticket(self) -> Ticket:
        wrong = Findings()
        ticket = ticket_of(self._data, _text_of(self._data.get("source")), wrong)
        for one in wrong.all():
            self._wrong(one.message, one.path, one.fix)
        fields = (ticket.id, ticket.title, ticket.body, *ticket.acceptance_criteria)
        if any(why := _why_unreadable(field, LONGEST_TEXT) for field in fields if field):
            self._wrong(f"a field of the ticket {why}", "", "shorten it, or put it right")
            return Ticket(kind=self._kind)
        return replace(ticket, kind=self._kind, acceptance_criteria=ticket.acceptance_criteria[:_MOST_ITEMS])

    def _required(self, shape: _Shape) -> str:
        value, place = self._data.get(shape.key), below("", shape.key)
        if not isinstance(value, str):
            what = "is missing" if value is None else "must be a string"
            return self._wrong(f"{shape.name} {what}", place, "write it as a string")
        if why := _why_unreadable(value, shape.longest):
            return self._wrong(f"{shape.name} {why}", place, "write down what is wanted")
        if why := shape.why_not(value.strip()):
            self._wrong(f"{shape.name} {why}", place, shape.fix)
        return value

    def _texts(self, key: str) -> tuple[str, ...]:
        value = self._data.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong("must be a list of strings", below("", key), "write a list of strings")
            return ()
        if len(value) > _MOST_ITEMS:
            self._wrong(f"holds more than {_MOST_ITEMS:,} items", below("", key), "keep those that matter")
        return tuple(filter(None, (self._item(key, n, one) for n, one in enumerate(value[:_MOST_ITEMS]))))

    def _item(self, key: str, number: int, value: object) -> str:
        place = below("", key, number)
        if not isinstance(value, str):
            return self._wrong("must be a string", place, "write a string")
        if value.strip() and (why := _why_unreadable(value, LONGEST_TEXT)):
            return self._wrong(why, place, "write it anew")
        return " ".join(value.split())

    def _issue_type(self) -> str:
        fields = self._data.get("fields")
        nested = fields.get("issuetype") if isinstance(fields, dict) else None
        for found in (nested, self._data.get("issue_type"), self._data.get("type")):
            if name := _name_of(found):
                return name
        return ""

    def _labels(self) -> tuple[str, ...]:
        fields = self._data.get("fields")
        found = self._data.get("labels") or (fields.get("labels") if isinstance(fields, dict) else None)
        if not isinstance(found, list):
            return ()
        return tuple(filter(None, map(_name_of, found[:_MOST_ITEMS])))

    def _wrong(self, message: str, path: str, fix: str) -> str:
        self._findings.add(_malformed(message, path, fix))
        return ""


def changed_files(diff: str) -> tuple[ChangedFile, ...]:
    """Return the files a diff touches, each once.

    Walks over the header lines only. `--- /dev/null` says that the next `+++` names a new file, and the
    same file can be named by several headers, whose facts are merged.
    """
    found: dict[str, ChangedFile] = {}
    is_new = False
    for match in _FILE_LINE.finditer(diff):
        old, new, both, moved = match["old"], match["new"], match["both"], match["moved"]
        if old is not None:
            is_new = old.strip() == "/dev/null"
            continue
        path = _path_of(new or "") or _path_of(both or "") or (moved or match["index"] or "").strip()
        if not path or path == "/dev/null":
            continue
        known = found.get(path)
        found[path] = ChangedFile(
            path=path,
            is_new=(new is not None and is_new) or bool(known and known.is_new),
            is_renamed=moved is not None or bool(known and known.is_renamed),
        )
        is_new = is_new and new is None
        if len(found) >= _MOST_FILES:
            break
    return tuple(found.values())


def _path_of(name: str) -> str:
    """Return the path in `b/src/a.py`, or the second one in `a/src/a.py b/src/a.py`."""
    bare = name.strip().strip('"')
    if " b/" in bare:
        return bare.rpartition(" b/")[2]
    return bare[2:] if bare[:2] in ("a/", "b/") else bare


def _why_no_diff(text: str) -> str:
    is_diff = any(text.startswith(mark) or f"\n{mark}" in text for mark in _MARKERS)
    return "" if is_diff else "has no line that begins as a line of a diff does"


def _why_no_path(path: str) -> str:
    if path.casefold().startswith(_ADDRESSES):
        return "is an address on the network"
    return "is more than one line" if "\n" in path else why_outside(path)


def _why_unreadable(text: str, longest: int) -> str:
    if not text.strip():
        return "is empty"
    if len(text) > longest:
        return f"is longer than {longest:,} characters"
    if not text.isascii() and _SURROGATE.search(text):
        return "holds half of a surrogate pair, which no text can contain"
    return "holds a NUL" if "\0" in text else ""


def _name_of(value: object) -> str:
    """Return the name from `{"name": ...}`, as trackers write it, or from a plain string."""
    found = value.get("name") if isinstance(value, dict) else value
    return _text_of(found)


def _text_of(value: object) -> str:
    if not isinstance(value, str) or _why_unreadable(value, LONGEST_TEXT):
        return ""
    return " ".join(value.split())


def _is_too_deep(data: object) -> bool:
    layer = [data]
    for _ in range(_MAX_DEPTH + 1):
        values = (list(item.values()) if isinstance(item, dict) else item for item in layer)
        layer = [child for children in values if isinstance(children, list) for child in children]
        if not layer:
            return False
    return True


_SHAPES: Final = {
    InputKind.PROMPT: _Shape("raw", "the prompt", LONGEST_TEXT, "write down what is wanted", lambda _: ""),
    InputKind.DIFF: _Shape("raw", "the diff", _LONGEST_DIFF, "give the output of `git diff`", _why_no_diff),
    InputKind.FILE: _Shape(
        "path", "the path", LONGEST_TEXT, "give a path below the root of the repository", _why_no_path
    ),
}


def _as_malformed(wrong: tuple[Violation, ...]) -> tuple[Violation, ...]:
    return tuple(
        fault(RefineFault.MALFORMED_INPUT, one.message, one.path, line=one.line, fix=one.fix) for one in wrong
    )


def _malformed(message: str, path: str = "", fix: str = "") -> Violation:
    return fault(RefineFault.MALFORMED_INPUT, message, path, fix=fix)
