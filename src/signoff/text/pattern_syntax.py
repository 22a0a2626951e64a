"""Check regular expressions from outside without running them on a text. Pure."""

import re
import warnings
from typing import Final

MAX_PATTERN: Final = 10_000
MAX_PATTERNS: Final = 200_000
"""Characters of all patterns of one file together."""

_PLAIN = re.compile(r"""(?:[\w "'/:;,<>=@%&!~-]|\\[^\w\s])*""")


def why_no_regex(pattern: str) -> str:
    """Return why this is not a Python regular expression, empty if it is one."""
    if len(pattern) > MAX_PATTERN:
        return f"is {len(pattern)} characters long, and {MAX_PATTERN} is the most"
    if _PLAIN.fullmatch(pattern):
        return ""  # nothing in it to get wrong, and compiling a thousand of them takes its time
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set" is about a future Python
            re.compile(pattern)
    except re.error as error:
        return f"is no regular expression: {error}"
    except (OverflowError, RecursionError):
        return "is no regular expression: a repeat or a nesting is too large"
    return ""
