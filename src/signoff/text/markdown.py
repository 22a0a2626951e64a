"""Small pieces of Markdown shared by the views. Pure.

Text from outside is shown as it was written and does nothing: no HTML, no image, no link, no block of its
own, and no character that breaks a line or steers a terminal.
"""

import re
from collections.abc import Iterable
from typing import Final

from signoff.text.lazy_patterns import pattern
from signoff.text.plan_prose import pieces, written_item

_STEERING = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_OPENS = pattern(
    r"[\\`\[]"
    r"|&(?=[A-Za-z#])"
    # Bare addresses are links in many viewers.
    r"|(?<=[A-Za-z]):(?=//)|(?<=www)\."
    r"|(?<= )#(?=#*\Z)",
    re.IGNORECASE,
)
_EMPHASIS = pattern(r"[*~]|(?<![^\W_])_|_(?![^\W_])")
_OPENERS: Final = ("#", ">", "+", "-", "=", "*")
_NUMBERED = pattern(r"([0-9]{1,9})([.)])")


def cell(text: str) -> str:
    """Make text safe inside a Markdown table: one line, no pipes, no code spans."""
    return _inert(_flat(text).replace("`", "'")).replace("|", "\\|")


def line(text: str) -> str:
    """Make text safe as one Markdown line or a part of one. Its code spans stay code."""
    return _unopened(_inert(_flat(text)))


def code(text: str) -> str:
    """Return an exact value as a code span, or as plain text if a table could not hold the span."""
    flat = _flat(text)
    return _unopened(cell(flat)) if "|" in flat else written_item(flat)


def printed(text: str) -> list[str]:
    """Return what a program printed as lines. Whatever ends a line for some reader ends one here."""
    lines = [_STEERING.sub("\ufffd", found).rstrip() for found in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table of these cells, made safe."""
    heads = [cell(heading) for heading in headings]
    body = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return "\n".join((f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *body))


def bullets(items: Iterable[str], empty: str = "none") -> str:
    """Return a bullet list, or `empty` if there are no items."""
    lines = [f"- {line(item)}" for item in items]
    return "\n".join(lines) if lines else f"- {empty}"


def section(title: str, body: str) -> str:
    """Return one section of a page."""
    return f"## {title}\n\n{body}\n"


def _flat(text: str) -> str:
    flat = " ".join(text.split())
    return flat if flat.isprintable() else _STEERING.sub("\ufffd", flat)


def _inert(text: str) -> str:
    found = list(pieces(text, escapes=False))
    # One mark alone emphasises nothing, and a glob is easier to read and to copy without a backslash.
    has_pairs = sum(len(_EMPHASIS.findall(source)) for is_code, source in found if not is_code) > 1
    return "".join(source if is_code else _escaped(source, has_pairs=has_pairs) for is_code, source in found)


def _escaped(text: str, *, has_pairs: bool) -> str:
    made = _OPENS.sub(r"\\\g<0>", text).replace("<", "&lt;")
    return _EMPHASIS.sub(r"\\\g<0>", made) if has_pairs else made


def _unopened(made: str) -> str:
    """Escape what would open a block at the beginning of a line."""
    if made.startswith(_OPENERS):
        return f"\\{made}"
    return _NUMBERED.sub(r"\1\\\2", made, count=1) if _NUMBERED.match(made) else made
