"""Read JSON as text: everything that can be wrong with it before a type is asked for.

Pure. `text.json.decode`, `text.json.canonical` and `intake.ticket_files` read through here, so what one of
them takes the others take too. Duplicate keys and NaN are refused because readers disagree on them: what a
person approved must be what every program reads.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.violation_list import Findings, below, fault, shown
from signoff.text.lazy_patterns import pattern

MAX_BYTES: Final = 8_000_000
MAX_DEPTH: Final = 100

_MAX_DIGITS: Final = 1_000
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = pattern(r"\\u[dD][89a-fA-F]")
_SURROGATE = pattern("[\ud800-\udfff]")
# An unterminated string is taken to the end: starting again at each of its quotes would be quadratic.
_BRACKET = pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class DecodeCode(StrEnum):
    """Everything that reading a file into a record can find."""

    TOO_LARGE = "too-large"
    NOT_UTF8 = "not-utf8"
    BYTE_ORDER_MARK = "byte-order-mark"
    TOO_DEEP = "too-deep"
    SYNTAX_ERROR = "syntax-error"
    DUPLICATE_KEY = "duplicate-key"
    NOT_A_NUMBER = "not-a-number"
    LONE_SURROGATE = "lone-surrogate"
    MISSING_FIELD = "missing-field"
    WRONG_TYPE = "wrong-type"
    UNKNOWN_VALUE = "unknown-value"
    UNKNOWN_TAG = "unknown-tag"
    UNKNOWN_FIELD = "unknown-field"
    OUT_OF_RANGE = "out-of-range"
    WRONG_LENGTH = "wrong-length"
    PATTERN_MISMATCH = "pattern-mismatch"
    INVALID = "invalid"
    """The decoder refused it and we could not say more exactly why."""


class PlainText(NamedTuple):
    """A file as text, without its byte order mark. `text` is None if it is not UTF-8 or too large."""

    text: str | None
    violations: tuple[Violation, ...]


class JsonText(NamedTuple):
    """A file as JSON. `text` is None if the file could not be parsed."""

    text: str | None
    value: object
    violations: tuple[Violation, ...]


def read_text(data: bytes, limit: int = MAX_BYTES) -> PlainText:
    """Return the file as text. Never raises on any bytes."""
    if len(data) > limit:
        message = f"is {len(data):,} bytes long, and {limit:,} is the most that is read"
        return PlainText(None, (fault(DecodeCode.TOO_LARGE, message, fix="make it smaller"),))
    body = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        message = f"byte {body[error.start]:#04x} is not UTF-8"
        return PlainText(None, (fault(DecodeCode.NOT_UTF8, message, line=line, fix="save it as UTF-8"),))
    return PlainText(text, (_byte_order_mark_warning(),) if len(body) < len(data) else ())


def read_json(data: bytes, limit: int = MAX_BYTES) -> JsonText:
    """Parse the file, collecting all that is wrong with it as JSON. Never raises on any bytes."""
    text, before = read_text(data, limit)
    if text is None:
        return JsonText(None, None, before)
    if deep := _too_deep(text):
        return JsonText(None, None, (*before, deep))
    parser = _Parser()
    try:
        value = parser.parse(text)
    except json.JSONDecodeError as error:
        message = f"not JSON at column {error.colno}: {error.msg}"
        wrong = fault(DecodeCode.SYNTAX_ERROR, message, line=error.lineno, fix="write valid JSON")
        return JsonText(None, None, (*before, wrong))
    if not parser.met_an_oddity and not _SURROGATE_ESCAPE.search(text):
        return JsonText(text, value, before)
    return JsonText(text, value, Findings((*before, *_oddities(value))).all())


def _byte_order_mark_warning() -> Violation:
    return fault(
        DecodeCode.BYTE_ORDER_MARK,
        "begins with a byte order mark",
        line=1,
        fix="save it as UTF-8 without one",
        severity=Severity.WARNING,
    )


def _too_deep(text: str) -> Violation | None:
    """Find the first bracket below the limit. Parsers recurse, so this comes before them."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    depth = 0
    for match in _BRACKET.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
        elif match[0] in ("]", "}"):
            depth -= 1
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            message = f"nested deeper than {MAX_DEPTH} levels"
            return fault(DecodeCode.TOO_DEEP, message, line=line, fix="flatten it")
    return None


class _Doubled(dict[str, object]):
    """An object in which keys came more than once. The last of each stands."""

    doubled: tuple[str, ...] = ()


class _Parser:
    """Parses, and remembers whether it met something that only a walk over the value can place."""

    def __init__(self) -> None:
        self.met_an_oddity = False

    def parse(self, text: str) -> object:
        value: object = json.loads(
            text,
            object_pairs_hook=self._object,
            parse_constant=self._float,
            parse_float=self._float,
            parse_int=self._int,
        )
        return value

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        self.met_an_oddity = True
        double = _Doubled(plain)
        double.doubled = tuple(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        return double

    def _float(self, digits: str) -> float:
        number = float(digits)
        self.met_an_oddity |= not math.isfinite(number)
        return number

    def _int(self, digits: str) -> int | float:
        # Python refuses to convert more than 4,300 digits (CVE-2020-10735); nothing we read counts that far.
        if len(digits) <= _MAX_DIGITS:
            return int(digits)
        self.met_an_oddity = True
        return math.inf


def _oddities(value: object) -> Iterator[Violation]:
    """Yield a violation for each duplicate key, each NaN or infinity, and each half of a character.

    The parser has met one of them already. This walk, in the order of the document, only finds its place.
    """
    todo: list[tuple[str, object]] = [("", value)]
    while todo:
        path, item = todo.pop()
        if isinstance(item, _Doubled):
            for key in item.doubled:
                message = f"{shown(key)} is given more than once"
                yield fault(DecodeCode.DUPLICATE_KEY, message, below(path, key), fix="keep one of them")
        if isinstance(item, dict):
            yield from (_half_character(below(path, key)) for key in item if _SURROGATE.search(key))
            todo += [(below(path, key), child) for key, child in reversed(item.items())]
        elif isinstance(item, list):
            todo += [(below(path, n), item[n]) for n in range(len(item) - 1, -1, -1)]
        elif isinstance(item, str) and _SURROGATE.search(item):
            yield _half_character(path)
        elif isinstance(item, float) and not math.isfinite(item):
            message = "NaN, Infinity or too large to hold"
            yield fault(DecodeCode.NOT_A_NUMBER, message, path, fix="write a finite number")


def _half_character(path: str) -> Violation:
    message = "holds half of a surrogate pair, which no text can contain"
    return fault(DecodeCode.LONE_SURROGATE, message, path, fix="write the whole character")
