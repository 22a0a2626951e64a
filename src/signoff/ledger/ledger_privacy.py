"""Detection of what a ledger must never hold: prompts, answers, output, files, diffs.

Pure; used by `ledger.ledger_rules`. Names are judged word by word, so `promptText` is a name for content and
`prompt_tokens` is not. A field with an innocent name is judged by its value, which is short for a figure, an
id or a reason.
"""

import re
from typing import Final

from signoff.text.json.violation_list import shown
from signoff.text.redaction import redaction

PRIVATE: Final = "private-content"

MAX_TEXT: Final = 500
"""Characters. No figure, id or reason needs more."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CONTENT: Final = frozenset(
    {
        *("prompt", "prompts", "response", "responses", "answer", "answers", "completion", "completions"),
        *("reply", "message", "messages", "transcript", "conversation", "thinking", "reasoning"),
        *("input", "inputs", "output", "outputs", "stdin", "stdout", "stderr", "console", "traceback"),
        *("diff", "diffs", "patch", "patches", "hunk", "hunks", "snippet", "snippets"),
        *("content", "contents", "body", "text", "source", "code"),
    }
)
_FIGURES: Final = frozenset(
    {
        *("token", "tokens", "count", "counts", "bytes", "chars", "lines", "length", "size", "ms", "seconds"),
        *("usd", "cost", "id", "ids", "digest", "hash", "sha", "sha256", "version", "exit", "status", "ref"),
    }
)
"""Words that make a figure or a name of what would be content: `prompt_tokens`, `exit_code`."""
_DIFF: Final = re.compile(r"^(?:diff --git |@@ -\d|\+\+\+ [ab]/)", re.MULTILINE)
_RULES: Final = redaction()
_SECRETS: Final = re.compile(_RULES.pattern)
_OPENINGS: Final = re.compile(b"|".join(re.escape(opening) for opening, _ in _RULES.openings))


def private_content(name: str, value: object, *, is_known: bool = False) -> str:
    """Return why a field looks like content, at whatever depth, empty when it does not.

    The name of a known field is not judged, and its length is limited by its type.
    """
    if not is_known and (why := _named_content(name, value)):
        return why
    if isinstance(value, dict | list):
        return _nested_content(name, value)
    if not isinstance(value, str):
        return ""
    if len(value) > MAX_TEXT and name != "failure_detail":
        return f"{len(value):,} characters, and {MAX_TEXT} is the most"
    return _content(value)


def _named_content(name: str, value: object) -> str:
    """Return why a name is one for content, empty when it is not. A number is a figure under any name."""
    words = {word.lower() for word in _WORD.findall(name[:200])}
    if not words & _CONTENT or words & _FIGURES:
        return ""
    if isinstance(value, int | float) or value in (None, "", [], {}):
        return ""
    return f"{shown(name)} is a name for content"


def _nested_content(name: str, value: object) -> str:
    """Return why a list or an object looks like content: an item, a name in it, or its total length."""
    total = 0
    todo: list[tuple[str, object]] = [("", value)]
    while todo:
        key, item = todo.pop()
        if why := _named_content(key, item):
            return why
        if isinstance(item, list):
            todo += [("", one) for one in item]
        elif isinstance(item, dict):
            # Names are searched like values, or content could be hidden in one.
            todo += [("", one) for one in item]
            todo += item.items()
        elif isinstance(item, str):
            total += len(item)
            if why := _content(item):
                return why
        if total > MAX_TEXT:
            return f"{shown(name)} holds more than a figure"
    return ""


def _content(text: str) -> str:
    if _DIFF.search(text):
        return "holds a piece of a diff"
    data = text.encode("utf-8", "surrogatepass")
    # The openings alone are searched much faster than the whole rules.
    return "holds a secret" if _OPENINGS.search(data) and _SECRETS.search(data) else ""
