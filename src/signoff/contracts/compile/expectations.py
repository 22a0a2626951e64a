"""The line in which a planner says what a command must show. Pure, called by `shell_idioms`.

A text is split into parts ("exit 0, prints `ok`") and every part must be understood, or the whole is not:
a check that forgets half of what was expected would pass too easily.
"""

import re
from typing import Any, Final, NamedTuple

from signoff.text.json.violation_list import shown


class Expected(NamedTuple):
    """The planner's words for what a command must show."""

    text: str
    """As written. May be empty."""
    fail_if: str = ""
    """What would be a failure, as written."""


class ExpectedOutcome(NamedTuple):
    """What is expected of a command. A field with its default value was not spoken of."""

    exit_code: int | None = None
    fails: bool = False
    """An exit code other than 0, without saying which."""
    is_zero: bool = False
    """A bare 0: a count to `grep -c`, unclear to everything else."""
    is_some: bool = False
    """At least one line or match."""
    is_there: bool | None = None
    """Something is found, or is not."""
    output: str | None = None
    """A text that must be in the output."""
    is_silent: bool = False
    """Nothing is printed."""
    is_clean: bool = False
    """No errors: success of a compiler, and unclear of a search."""


class NotUnderstood(NamedTuple):
    """The reason why a text says nothing that can be checked."""

    why: str


MAX_TEXT: Final = 500

_QUOTED: Final = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)")
_PARTS: Final = re.compile(r"[,;()]+|\band\b|(?<=\w)\.\s|\bwith\b(?= (?:no|0|zero)\b)", re.IGNORECASE)
_NUMBERS: Final = {"zero": "0", "one": "1"}
_SUBJECT: Final = (
    r"(?:(?:it|the|an?|all|command|process|program|script|file|pattern|tests?|build|count|number|of|value|grep"
    r"|should|must|be|is|are|has|have|returns?|prints?|outputs?|shows?|equals?) )*"
)
_NOUN: Final = r"(?:match(?:es)?|matching lines?|lines?|results?|hits?|occurrences?|times?)(?: found)?"
_EXIT: Final = r"(?:exits?|exit code|exit status|return code)"

# A part is understood by the first form that it has from beginning to end. No field means success, and no
# value means the number in the text. Any other count is a gap: no check counts.
_FORMS: Final[tuple[tuple[re.Pattern[str], str, bool | None], ...]] = tuple(
    (re.compile(f"{_SUBJECT}(?:{pattern})"), field, value)
    for pattern, field, value in (
        (rf"{_EXIT}(?: (?:with|code|status|of|is))*[ :=]*([0-9]{{1,9}})", "exit_code", None),
        (rf"{_EXIT}(?: (?:with|code|is|a))* (?:non-?zero|not 0)", "fails", True),
        (r"non-?zero exit(?: code| status)?", "fails", True),
        (rf"(?:>|more than|greater than) ?0(?: {_NOUN})?", "is_some", True),
        (rf"(?:(?:>=|≥|at least) ?1|1 ?(?:\+|or more))(?: {_NOUN})?", "is_some", True),
        (rf"(?:non-?zero|non 0) (?:(?:count|number)(?: of {_NOUN})?|{_NOUN})", "is_some", True),
        (r"0", "is_zero", True),
        (r"no output|empty(?: output)?|nothing", "is_silent", True),
        (rf"(?:no|(?:exactly )?0) {_NOUN}|none", "is_there", False),
        (r"not (?:found|present|there)|absent|missing|gone", "is_there", False),
        (r"(?:does not|doesn't) exist", "is_there", False),
        (r"match(?:es|ed)?|found|present|exists?|there|listed", "is_there", True),
        (r"(?:pass(?:es|ed)?|succeeds?|success(?:ful(?:ly)?)?|compiles?|green)", "", None),
        (r"clean|(?:compiles? )?(?:with )?(?:no|0|without(?: any)?) errors?", "is_clean", True),
    )
)  # fmt: skip
_OUTPUT: Final = re.compile(
    r"(?:(?:it|the|command|output|stdout|contains?|prints?|outputs?|includes?|shows?|text|is) )*«([0-9]+)»"
)


def read_expected(text: str) -> ExpectedOutcome | NotUnderstood:
    """Parse one text, which may be quoted as a whole. An empty one expects success alone.

    Quoted words are set aside first, so that a comma inside of them splits nothing. Each part then fills one
    field, and two parts that fill a field differently contradict each other.
    """
    if len(text) > MAX_TEXT:
        return NotUnderstood(f"what is expected is longer than {MAX_TEXT} characters: write `exit 0`")
    if whole := _QUOTED.fullmatch(text.strip().rstrip(".")):
        inside = _quoted_text(whole)
        outcome = NotUnderstood("") if _QUOTED.search(inside) else read_expected(inside)
        is_said = isinstance(outcome, ExpectedOutcome) and outcome != ExpectedOutcome()
        return outcome if is_said else ExpectedOutcome(output=inside)
    quotes: list[str] = []

    def placeholder(found: re.Match[str]) -> str:
        inside = _quoted_text(found)
        if inside.isdecimal():
            return inside
        quotes.append(inside)
        return f"«{len(quotes) - 1}»"

    outcome = ExpectedOutcome()
    for part in _PARTS.split(_QUOTED.sub(placeholder, re.sub("[«»]", "", text))):
        if not (words := _normal(part)):
            continue
        said = _read_part(words, quotes)
        if said is None:
            return NotUnderstood(
                f"what is expected is not understood: {shown(text)}; "
                "write `exit 0`, `found`, `no matches`, `>= 1`, or quote the output"
            )
        for name, value in said._asdict().items():
            default, before = ExpectedOutcome._field_defaults[name], getattr(outcome, name)
            if value != default and before not in (default, value):
                return NotUnderstood(f"what is expected says two things: {shown(text)}")
            outcome = outcome if value == default else outcome._replace(**{name: value})
    return outcome


def _quoted_text(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None)


def _normal(part: str) -> str:
    words = " ".join(part.split()).casefold().strip(" .:-–—→")
    return re.sub(r"(?<![\w-])(zero|one)\b", lambda m: _NUMBERS[m[1]], words)


def _read_part(part: str, quotes: list[str]) -> ExpectedOutcome | None:
    for pattern, field, value in _FORMS:
        if said := pattern.fullmatch(part):
            filled: dict[str, Any] = {field: int(said[1]) if value is None else value} if field else {}
            return ExpectedOutcome()._replace(**filled)
    found = _OUTPUT.fullmatch(part)
    return ExpectedOutcome(output=quotes[int(found[1])]) if found else None


def unread_failure(expected: Expected, command: str) -> str:
    """Return a warning where `Fail if` names an output or a number that the check does not look at.

    What the command itself names (a path, a word it echoes) is part of the check already.
    """
    quoted = map(_quoted_text, _QUOTED.finditer(expected.fail_if[:MAX_TEXT]))
    is_named = any(text not in command and not text.isdigit() for text in quoted)
    if is_named or re.search(r"\d{2,}|[2-9]", expected.fail_if):
        return f"`Fail if` is not part of the check: {shown(expected.fail_if)}"
    return ""
