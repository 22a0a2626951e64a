r"""How a journal line is built, cut out of a stream and read back.

    {"seq":N,"ts":"…Z","event":"name",…,"prev":"<64 hex>","sum":"<64 hex>"}\n

`sum` is the SHA-256 of the raw bytes from `{` up to and without `,"sum":"`, and `prev` is the `sum` of
the line before, 64 zeros on the first. Raw bytes, so a blank, the order of keys or the case of a hex
digit is a change like any other.

Pure. The writer (`storage.journal`) and the checker (`judges.journal.journal_check`) both go through here, so
what one accepts the other can read. `journal check` must start fast: only json at the
top, no typing, no msgspec.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from signoff.text.digests import sha256_hex
from signoff.text.lazy_patterns import pattern

NO_SUM = "0" * 64
"""`prev` of the first record."""

MAX_RECORD = 4096
"""Bytes of a line we write, newline included. Larger bodies are blobs."""

MAX_LINE = 65_536
"""Bytes of a line we read, newline not included. The logs of other writers have longer lines."""

Decode = Callable[[bytes], dict[str, object]]
"""One line to one object, or `BadLine`."""

_SUM_KEY = b',"sum":"'
_SUM_TAIL = len(_SUM_KEY) + 64 + len(b'"}')
_TIMESTAMP = pattern(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z"
)
_SHORT_MONTHS = frozenset({"04", "06", "09", "11"})


class UnreadableLine(StrEnum):
    """Why a line is not a record. The checker reports these words as its codes."""

    BLANK = "blank-line"
    NOT_UTF8 = "not-utf8"
    NOT_JSON = "not-json"
    NOT_OBJECT = "not-an-object"
    DUPLICATE_KEY = "duplicate-key"


class BadLine(ValueError):  # noqa: N818 - a fact about a line; its callers turn it into an error or a violation
    """A line that is not one JSON object."""

    def __init__(self, kind: UnreadableLine, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def build_line(body: bytes, *, seq: int, ts: str, prev: str) -> tuple[bytes, str, str]:
    """Return the whole line, newline included, with its event and its sum.

    `body` is compact JSON that begins with its `event`, and is inserted unchanged. One that is not
    JSON, spans lines, has its own `seq`, `ts`, `prev` or `sum`, or is too large is our bug.
    """
    if not body.startswith(b'{"event":"') or not body.endswith(b"}"):
        raise ValueError(f"a journal body is an object that begins with its event: {body[:60]!r}")
    if b"\n" in body or b"\r" in body:
        raise ValueError(f"a journal body is one line: {body[:60]!r}")
    if not is_timestamp(ts):
        raise ValueError(f"not an ISO 8601 UTC time: {ts!r}")
    covered = b'{"seq":%d,"ts":"%s",%s,"prev":"%s"' % (seq, ts.encode(), body[1:-1], prev.encode())
    total = sha256_hex(covered)
    line = b'%s%s%s"}' % (covered, _SUM_KEY, total.encode())
    if len(line) >= MAX_RECORD:
        raise ValueError(f"a journal record of {len(line) + 1} bytes, {MAX_RECORD} at most: bodies are blobs")
    return line + b"\n", str(decode_line(line)["event"]), total


def computed_sum(raw: bytes) -> str | None:
    """Return the sum that the line must end in, None if it does not end in a `sum` at all."""
    if raw[-_SUM_TAIL:-66] != _SUM_KEY or raw[-2:] != b'"}':
        return None
    return sha256_hex(raw[:-_SUM_TAIL])


def stored_sum(raw: bytes) -> str | None:
    """Return the sum at the end of the line, even if the line is otherwise unreadable."""
    return None if computed_sum(raw) is None else raw[-66:-2].decode("ascii", "replace")


def is_timestamp(text: str) -> bool:
    """Check whether this is an ISO 8601 UTC time with `Z` on a day that exists."""
    if _TIMESTAMP.fullmatch(text) is None:
        return False
    year, month, day = text[:4], text[5:7], text[8:10]
    if "01" <= day <= "28":
        return True
    if month == "02":
        # By the Gregorian rule, a century is a leap year only every four hundred years.
        return day == "29" and int(year) % (400 if year.endswith("00") else 4) == 0
    return day != "00" and not (day == "31" and month in _SHORT_MONTHS)


def instant(ts: str) -> tuple[str, str]:
    """Make times of different precision comparable: `…41Z` is `…41.000Z`."""
    second, _, fraction = ts[:-1].partition(".")
    return second, fraction.rstrip("0")


def cut_lines(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Cut a stream at newlines, in constant memory, and yield each line with whether it is whole.

    Not whole is a line longer than `MAX_LINE`, yielded once with its rest dropped, or the text after the last
    newline. Only the newline byte ends a line: U+2028 and CR are content.
    """
    rest, dropping = b"", False
    for chunk in chunks:
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if not dropping:
                yield line, len(line) <= MAX_LINE
            dropping = False
        if dropping:
            rest = b""
        elif len(rest) > MAX_LINE:
            yield rest, False
            rest, dropping = b"", True
    if rest:
        yield rest, False


def decode_line(raw: bytes) -> dict[str, object]:
    """Decode one line as one JSON object, or raise `BadLine`: UTF-8, no NaN, no key twice at any depth."""
    try:
        record = _STRICT.decode(raw.decode())
    except BadLine:
        raise
    except UnicodeDecodeError as error:
        raise BadLine(UnreadableLine.NOT_UTF8, f"byte {error.start + 1} is not UTF-8") from None
    except RecursionError:
        raise BadLine(UnreadableLine.NOT_JSON, "nested too deeply") from None
    except ValueError as error:
        if not raw.strip(b" \t\r"):
            raise BadLine(UnreadableLine.BLANK, "nothing on this line") from None
        said = str(error)
        if isinstance(error, json.JSONDecodeError):
            said = f"{error.msg} (column {error.colno})"
        raise BadLine(UnreadableLine.NOT_JSON, f"not JSON: {said}") from None
    if not isinstance(record, dict):
        raise BadLine(UnreadableLine.NOT_OBJECT, "not a JSON object")
    return record


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise BadLine(
            UnreadableLine.DUPLICATE_KEY, f"the key {_first_repeated(pairs)[:60]!r} stands there twice"
        )
    return record


def _first_repeated(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return ""


def _no_constant(name: str) -> object:
    raise BadLine(UnreadableLine.NOT_JSON, f"not JSON: {name}")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def fast_decoder() -> Decode:
    """Return a `decode_line` that is some four times faster on the lines that programs write.

    It trusts msgspec only for a line that msgspec would write back byte for byte, spaces aside: that
    leaves no room for a second key of one name, other blanks or escapes. Any other line goes to
    `decode_line`. Spaces mean nothing between tokens, and no escape contains one, so two texts that
    differ in spaces alone have the same tokens.
    """
    import msgspec  # 20 ms: worth it for megabytes only

    decode = msgspec.json.Decoder().decode
    encode = msgspec.json.Encoder().encode

    def decode_fast(raw: bytes) -> dict[str, object]:
        try:
            record = decode(raw)
            if type(record) is dict:
                again = encode(record)
                if again == raw or again.replace(b" ", b"") == raw.replace(b" ", b""):
                    return record
        except (ValueError, RecursionError):  # msgspec's own errors are ValueErrors
            pass
        return decode_line(raw)

    return decode_fast
