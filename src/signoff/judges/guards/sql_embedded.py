"""The SQL that a migration in Python, JavaScript or TypeScript runs: `op.execute("…")`. Pure.

Only the string literals in the call itself are read, joined as the language joins them. A text from a
variable, a helper or a file is not seen.
"""

from collections.abc import Iterator

_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_CALLS = frozenset(
    (
        "execute", "exec_driver_sql", "text", "runsql", "raw", "sql", "query", "unsafe", "$executeraw",
        "$executerawunsafe", "$queryraw", "$queryrawunsafe",
    )
)  # fmt: skip
_BLANK = " \t\r\n"
_QUOTES = "'\"`"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
_LONGEST_NAME = 30
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


def is_code(path: str) -> bool:
    """Check whether the path is a file in one of these languages."""
    return path.lower().endswith(_ENDINGS)


def embedded_sql(text: str) -> Iterator[tuple[str, int]]:
    """Yield each text that a call for SQL is given, and the line at which it begins.

    Literals and comments elsewhere are stepped over, so that a call within them does not count.
    """
    at, line, counted = 0, 1, 0
    while at < len(text):
        char = text[at]
        if char in _QUOTES and not (char == "`" and _name_before(text, at) in _CALLS):
            _, end = _literal(text, at)
            at = max(end, at + 1)
        elif char in "#/" and (end := _comment_end(text, at)):
            at = end
        elif char in "(`" and _name_before(text, at) in _CALLS:
            end = at + 1
            for sql, place, behind in _arguments(text, at if char == "`" else at + 1):
                line, counted = line + text.count("\n", counted, place), place
                yield sql, line
                end = behind
            at = end
        else:
            at += 1


def _name_before(text: str, at: int) -> str:
    start = at
    while start > 0 and at - start < _LONGEST_NAME and text[start - 1] in _NAME:
        start -= 1
    return text[start:at].lower()


def _comment_end(text: str, at: int) -> int:
    """Return the place behind a comment, 0 if there is no comment here.

    In Python, `a // b` ends at most its own line.
    """
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return end + 2 if end >= 0 else 0
    is_field = text[at - 1 : at] == "."  # this.#name
    if (text[at] == "#" and not is_field) or text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    return 0


def _arguments(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield the first argument of a call, or each text of a list that is the first argument."""
    at = _behind(text, at, _BLANK)
    while text[at : at + 1] in ("#", "/") and (end := _comment_end(text, at)):
        at = _behind(text, end, _BLANK)
    # `sql=` may stand before the text.
    name_end = at
    while name_end < len(text) and name_end - at < _LONGEST_NAME and text[name_end] in _NAME:
        name_end += 1
    if name_end > at and text[name_end : name_end + 1] == "=":
        at = _behind(text, name_end + 1, _BLANK)
    is_list = text[at : at + 1] in ("[", "(")
    at = _behind(text, at, _BLANK + "[(") if is_list else at
    while True:
        sql, end = _joined(text, at)
        if end <= at:
            return
        yield sql, at, end
        at = _behind(text, end, _BLANK)
        if not is_list or text[at : at + 1] != ",":
            return
        at = _behind(text, at + 1, _BLANK)


def _behind(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def _joined(text: str, at: int) -> tuple[str, int]:
    """Return the literals that begin here as one text, and the place behind them."""
    pieces: list[str] = []
    end = at
    while True:
        prefix_end = at
        while prefix_end < at + 2 and text[prefix_end : prefix_end + 1] in tuple("rRfFbBuU"):
            prefix_end += 1
        if text[prefix_end : prefix_end + 1] not in tuple(_QUOTES):
            return "".join(pieces), end
        said, behind = _literal(text, prefix_end)
        if behind < 0:
            return "".join(pieces), end
        if "f" in text[at:prefix_end].lower() or text[prefix_end] == "`":
            # Each `{…}` and `${…}` is read as a name.
            first, *rest = said.replace("${", "{").split("{")
            said = "x".join((first, *(piece.partition("}")[2] for piece in rest)))
        pieces.append(said)
        end = behind
        at = _behind(text, end, _BLANK + "+")


def _literal(text: str, at: int) -> tuple[str, int]:
    """Return the text of a literal and the place behind it, or -1 if it never closes."""
    mark = text[at]
    quote = mark * 3 if mark != "`" and text.startswith(mark * 3, at) else mark
    is_one_line = len(quote) == 1 and mark != "`"
    pieces: list[str] = []
    at += len(quote)
    while at < len(text):
        char = text[at]
        if char == "\\":
            follows = text[at + 1 : at + 2]
            pieces.append(_ESCAPES.get(follows, follows))
            at += 2
        elif text.startswith(quote, at):
            return "".join(pieces), at + len(quote)
        elif char == "\n" and is_one_line:
            break
        else:
            pieces.append(char)
            at += 1
    return "", -1
