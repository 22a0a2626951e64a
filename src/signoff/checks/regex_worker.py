"""Run regular expressions in a process that can be killed: a script, not part of the program.

Started as `python -I -S regex_worker.py` with one JSON request on stdin; answers with JSON on stdout. A
pattern comes from a plan and may take for ever on the wrong text, so the caller sets a time limit. Imports
nothing of ours.

    {"pattern": p, "files": [...], "by_line": true, "in_binary": false}
                                                    ->  {"hits": n, "file": index, "line": n, "binary": n}
    {"pairs": [[pattern, text], ...]}                ->  {"found": [true, ...]}
    anything that cannot be done                    ->  {"error": "..."}
"""

import json
import re
import sys

TYPE_CHECKING = False  # a type checker takes it for typing's, which costs time to load
if TYPE_CHECKING:
    from typing import Any


def answer(request: "dict[str, Any]") -> "dict[str, Any]":
    """Answer one request. A fault of the pattern or of a file becomes part of the answer."""
    try:
        if "pairs" in request:
            return {"found": [bool(re.search(pattern, text)) for pattern, text in request["pairs"]]}
        return search_files(
            request["pattern"], request["files"], request["by_line"], request.get("in_binary", False)
        )
    except (re.error, OverflowError, RecursionError) as error:
        return {"error": f"the pattern cannot be used: {error}"}
    except OSError as error:
        return {"error": f"{error.filename}: {error.strerror}"}


def search_files(pattern: str, files: "list[str]", by_line: bool, in_binary: bool) -> "dict[str, Any]":
    """Count the lines (or whole files) that match, and name the first.

    Files with NUL bytes are binary. They are searched, with and without their NULs, only if the caller asks.
    """
    expression = re.compile(pattern)
    hits, first, binary = 0, (0, 0), 0
    for index, path in enumerate(files):
        with open(path, "rb") as file:
            data = file.read()
        if by_line and b"\0" in data:
            binary += 1
            data = data + b"\n" + data.replace(b"\0", b"") if in_binary else b""
        text = data.decode("utf-8", "replace")
        for number, line in enumerate(text.split("\n") if by_line else [text], start=1):
            if expression.search(line.removesuffix("\r") if by_line else line):
                first = first if hits else (index, number)
                hits += 1
    return {"hits": hits, "file": first[0], "line": first[1], "binary": binary}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(json.load(sys.stdin.buffer))))
