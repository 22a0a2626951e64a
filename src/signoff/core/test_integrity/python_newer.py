"""Read syntax of later versions of Python than the one that runs. Pure; `python_reader` parses with it.

A file that the project's own Python reads must not count as broken here. What these words declare are types,
of which no test is made, so they are respelled, line by line, and the numbers of lines stay.
"""

import ast
import re

_ALIAS = re.compile(r"^([ \t]*)type[ ]+([A-Za-z_]\w*)(?:\[[^\n=]*\])?[ ]*=(?!=)", re.MULTILINE)
_GENERIC = re.compile(
    r"^([ \t]*(?:async[ ]+def|def|class)[ ]+[A-Za-z_]\w*)"
    r"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\](?=\s*[(:])",
    re.MULTILINE,
)
_EXCEPT = re.compile(r"^([ \t]*except\*?[ ]+)([A-Za-z_][\w.]*(?:,[ ]*[A-Za-z_][\w.]*)+)([ ]*:)", re.MULTILINE)


def parse(text: str) -> ast.Module:
    """Give the tree of a file; one that is broken in any version raises as it always did."""
    try:
        return ast.parse(text)
    except SyntaxError:
        older = _EXCEPT.sub(r"\1(\2)\3", _GENERIC.sub(r"\1", _ALIAS.sub(r"\1\2 =", text)))
        if older == text:
            raise
        return ast.parse(older)
