"""Where an agent works, read from what it tells its model. Pure."""

import re
from collections.abc import Iterable

_SAYINGS = (
    re.compile(r"<cwd>\s*(/[^<\n]+?)\s*</cwd>"),
    re.compile(r"<(?:current_)?working_directory>\s*(/[^<\n]+?)\s*</"),
    re.compile(r"(?i)(?:working|current|workspace) (?:directory|folder)(?: is)?\s*:?\s*`?\"?(/[^\s`\"<]+)"),
    re.compile(r"(?i)working in the directory:?\s*`?(/[^\s`<]+)"),
    re.compile(r"(?i)workspace directories:?\s*-?\s*(/[^\s`<]+)"),
)


def find_folder(texts: Iterable[str]) -> str:
    """Give the first folder a text names as the place of work, or an empty text.

    Some tools take absolute paths only, and a model learns them from its prompt as we do.
    """
    for text in texts:
        for saying in _SAYINGS:
            if found := saying.search(text):
                return found[1].rstrip(".,")
    return ""
