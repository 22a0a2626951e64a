"""Read the line in which a planner says what a command must show. Pure; called by `idioms` and `grep_idioms`.

A text is split into parts ("exit 0, prints `ok`") and every part must be understood, or the whole is not:
a check that forgets half of what was expected would pass too easily.
"""

import re
from typing import Final, NamedTuple

from signoff.core.compiling.translations import Expected
from signoff.core.violations import shown


class Wish(NamedTuple):
    """What is expected; a field that is None was not spoken of."""

    exit_code: int | None = None
    number: int | None = None
    """A bare number: a count to a command that counts, a code to some others."""
    at_least: int | None = None
    """A smallest count."""
    matches: int | None = None
    """A count with its noun: `3 matches`."""
    exactly: int | None = None
    """A count, neither more nor less."""
    there: bool | None = None
    """Something is found, or is not."""
    output: str | None = None
    """A text that must be in the output."""
    silent: bool = False
    """Nothing is printed."""
    nonzero: bool = False
    """Not zero, and it was not said what."""
    fails: bool = False
    """An exit code other than 0, and it was not said which."""
    note: str = ""
    """How a text in prose was read."""


class Unread(NamedTuple):
    """A text that was not understood."""

    why: str


_QUOTED: Final = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)")
_QUOTE: Final = re.compile(r"«(\d+)»")
_PARTS: Final = re.compile(
    r"[,;()]+|\band\b|(?<=\w)\.\s|\bwith\b(?= (?:no|0|zero)\b)|(?=\bwithout\b)", re.IGNORECASE
)
MAX_TEXT: Final = 500
MAX_PRAISE: Final = 6
"""How many words of prose may describe a success; a longer sentence says more than that."""
_NUMBERS: Final = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_SAYS: Final = (
    r"(?:it |the |command |grep |http |status |code |stdout |count |result |number |of |value |be "
    r"|returns? |prints? |outputs? |shows? |gives? |is |are |equals? |a |should |must |have |has |: |= ?)*"
)
_NOUN: Final = r"(?:match(?:es)?|matching lines?|lines?|results?|hits?|occurrences?|times?)(?: found)?"
_SUBJECT: Final = (
    r"(?:it |the |an? |command |process |program |script |should |must |returns? |with |all |tests? |build )*"
)

_EXIT: Final = re.compile(
    _SUBJECT + r"(?:exits?|exit code|exit status|return code|rc)(?: (?:with|code|status|of|is|a|an|exit))*"
    r" ?[:=]? ?(\d+)"
)
_EXIT_FAILS: Final = re.compile(
    _SUBJECT
    + r"(?:exits?|exit code|exit status)(?: (?:with|code|status|is|a))* (?:non-?zero|not 0)(?: code| status)?"
    r"|non-?zero exit(?: code| status)?"
)
_AT_LEAST: Final = re.compile(
    _SAYS + rf"(?:(?:>=|≥|at least|minimum|min) ?(\d+)|(\d+) ?(?:\+|or (?:more|greater|higher)))(?: {_NOUN})?"
)
_MORE_THAN: Final = re.compile(_SAYS + rf"(?:>|more than|greater than|above) ?(\d+)(?: {_NOUN})?")
_NONZERO: Final = re.compile(_SAYS + r"(?:non-?zero|non 0|not 0|positive)")
_SOME: Final = re.compile(
    _SAYS + rf"(?:non-?zero|non 0|positive) (?:(?:count|number)(?: of {_NOUN})?|{_NOUN})"
)
_EXACTLY: Final = re.compile(_SAYS + rf"exactly (\d+)(?: {_NOUN})?")
_COUNT: Final = re.compile(_SAYS + rf"(\d+) {_NOUN}")
_NUMBER: Final = re.compile(_SAYS + r"(\d+)(?: ok)?")
_NONE: Final = re.compile(
    _SAYS
    + rf"(?:no {_NOUN}|none|no such file|not (?:found|present|there)|absent|missing|gone|removed|deleted"
    r"|(?:file |path )?(?:does not|doesn't) exist|(?:file |pattern )?(?:is )?(?:absent|missing|not found))"
)
_THERE: Final = re.compile(
    _SAYS + r"(?:(?:a |the )?(?:file |path |pattern |line |text )?(?:is |was )?"
    r"(?:match(?:es|ed)?|matching lines?|found|present|exists?|there|listed)(?: found)?)"
)
_SILENT: Final = re.compile(_SAYS + r"(?:no output|empty(?: output)?|nothing|silent)")
_SUCCESS: Final = re.compile(
    _SUBJECT
    + r"(?:(?:is |are )?(?:pass(?:es|ed)?|succeeds?|success(?:ful(?:ly)?)?|clean|compiles?|green|true)"
    r"(?: cleanly| successfully)?)?(?: ?(?:with )?(?:no|0|without)(?: any)?"
    r"(?: type| typescript| compile| lint)? errors?)?"
)
_OUTPUT: Final = re.compile(
    r"(?:it |the |command |output |stdout |should |must |a |line |summary |text |to )*"
    r"(?:(?:contains?|prints?|outputs?|includes?|shows?|matches|reads?|says?|is) )?(?:the |a )?"
    r"(?:text |line )?«(\d+)»"
)
_PRAISE: Final = re.compile(
    r"\b(?:pass(?:es|ing|ed)?|green|compiles?|succeeds?|successful(?:ly)?|clean(?:ly)?|type-?checks|lints)\b"
)
_DOUBT: Final = re.compile(
    r"[\d«»<>=≥≤!%]|\b(?:not|no|non|never|without|fails?|failing|failed|failures?|errors?|warnings?|skips?|skipped"
    r"|prints?|outputs?|shows?|returns?|logs?|contains?|includes?|response|status|count|only|except|until|unless"
    r"|if|when|or|but|then|writes?|creates?|produces?|generates?|greater|less|more|fewer|under|within|seconds?)\b"
    r"|n't"
)


def read_text(text: str) -> Wish | Unread:
    """Read one text, which may be wrapped in quotes as a whole; an empty one wishes for success alone."""
    if len(text) > MAX_TEXT:
        return Unread(f"what is expected is longer than {MAX_TEXT} characters")
    whole = _QUOTED.fullmatch(text.strip().rstrip("."))
    if whole:
        inner = next(group for group in whole.groups() if group is not None)
        read = read_text(inner) if not _QUOTED.search(inner) else Unread("")
        speaks = isinstance(read, Wish) and read != Wish(note=read.note)
        return read if speaks else Wish(output=inner)
    quotes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        quotes.append(next(group for group in found.groups() if group is not None))
        return f"«{len(quotes) - 1}»"

    plain = _QUOTED.sub(keep, re.sub("[«»]", "", text))
    return _merged([part for part in (_normal(p) for p in _PARTS.split(plain)) if part], quotes, text)


def _normal(part: str) -> str:
    words = " ".join(part.split()).casefold().strip(" .:-–—→")
    return re.sub(r"(?<![\w-])(zero|one|two|three|four|five)\b", lambda m: _NUMBERS[m[1]], words)


def _merged(parts: list[str], quotes: list[str], text: str) -> Wish | Unread:
    wish = Wish()
    for part in parts:
        read = _read_part(part, quotes)
        if read is None:
            return Unread(f"what is expected is not understood: {shown(text)}")
        for name, value in read._asdict().items():
            unsaid, before = Wish._field_defaults[name], getattr(wish, name)
            if before not in (unsaid, value) and value != unsaid:
                return Unread(f"what is expected says two things: {shown(text)}")
            wish = wish._replace(**{name: before if value == unsaid else value})
    return wish


def _read_part(part: str, quotes: list[str]) -> Wish | None:
    """Read one part by the first form that it has from beginning to end."""
    unquoted = _QUOTE.sub(lambda m: quotes[int(m[1])] if quotes[int(m[1])].isdigit() else m[0], part)
    if found := _EXIT.fullmatch(unquoted):
        return Wish(exit_code=_int(found[1]))
    if _EXIT_FAILS.fullmatch(unquoted):
        return Wish(fails=True)
    if found := _AT_LEAST.fullmatch(unquoted):
        return Wish(at_least=_int(found[1] or found[2]))
    if found := _MORE_THAN.fullmatch(unquoted):
        return Wish(at_least=_int(found[1]) + 1)
    if _SOME.fullmatch(unquoted):
        return Wish(at_least=1)
    if _NONZERO.fullmatch(unquoted):
        return Wish(nonzero=True)
    if found := _EXACTLY.fullmatch(unquoted):
        return Wish(exactly=_int(found[1]))
    if found := _COUNT.fullmatch(unquoted):
        return Wish(matches=_int(found[1]))
    if found := _NUMBER.fullmatch(unquoted):
        return Wish(number=_int(found[1]))
    if _SILENT.fullmatch(part):
        return Wish(silent=True)
    if _NONE.fullmatch(part):
        return Wish(there=False)
    if _THERE.fullmatch(part):
        return Wish(there=True)
    if _SUCCESS.fullmatch(part):
        return Wish()
    if found := _OUTPUT.fullmatch(part):
        return Wish(output=quotes[int(found[1])])
    if len(part.split()) <= MAX_PRAISE and _PRAISE.search(part) and not _DOUBT.search(part):
        return Wish(note=f"{shown(part)} is read as exit code 0")
    return None


def _int(digits: str) -> int:
    return int(digits[:9])


def parts_of(text: str) -> list[str]:
    """Give the parts of a text as written, without what surrounds them."""
    return [part.strip(" .`'\"") for part in _PARTS.split(text[:MAX_TEXT]) if part.strip(" .`'\"")]


def fails_on_nothing(expected: Expected) -> bool:
    """Say whether `Fail if` names the case that nothing is found, so that a count of 1 means one or more."""
    read = read_text(expected.fail_if)
    return isinstance(read, Wish) and (
        read.there is False or read.silent or 0 in (read.number, read.matches, read.exactly)
    )


def fails_on_something(expected: Expected) -> bool:
    """Say whether `Fail if` names the case that something is found."""
    read = read_text(expected.fail_if)
    return isinstance(read, Wish) and (
        read.there is True or read.nonzero or any((read.at_least, read.number, read.matches, read.exactly))
    )


def unread_failure(expected: Expected, command: str) -> str:
    """Give a note where `Fail if` names an output or a number that no check will look at; empty otherwise.

    What the command itself names (a path, a word it echoes) is part of the check already.
    """
    quoted = ["".join(filter(None, found)) for found in _QUOTED.findall(expected.fail_if[:MAX_TEXT])]
    named = any(text not in command and not text.isdigit() for text in quoted)
    if named or re.search(r"\d{2,}|[2-9]", expected.fail_if):
        return f"`Fail if` is not part of the check: {shown(expected.fail_if)}"
    return ""
