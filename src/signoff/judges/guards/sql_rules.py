"""Judge the statements of a SQL file one by one: drops, unfiltered changes, open grants. Pure.

Called by `sql_guard`. Each statement is judged by itself, so that a careful one excuses no other.
"""

from collections import namedtuple
from collections.abc import Iterator

from signoff.judges.guards.guard_findings import GuardFinding, quoted
from signoff.judges.guards.sql_conditions import is_always_true
from signoff.judges.guards.sql_statements import (
    BODY,
    MARK,
    NAME,
    STRING,
    WORD,
    SqlUnreadable,
    Token,
    statements,
)

_BEGINS = frozenset(
    (
        "BEGIN", "THEN", "ELSE", "LOOP", "AS", "EXPLAIN", "ANALYZE", "VERBOSE", "DO", "INSTEAD",
        "ALSO", "ATOMIC",
    )
)  # fmt: skip
"""Words behind which a statement may begin within another."""
_ENDS_CONDITION = ("RETURNING", "ORDER", "LIMIT", "GROUP", "HAVING", "WINDOW")
_NO_COLUMN = frozenset(
    ("CONSTRAINT", "INDEX", "KEY", "PRIMARY", "FOREIGN", "DEFAULT", "NOT", "EXPRESSION", "IDENTITY", "CHECK")
)
_BETWEEN_CREATE_AND_TABLE = ("GLOBAL", "LOCAL", "TEMP", "TEMPORARY", "UNLOGGED", "OR", "REPLACE", "FOREIGN")
_DEEPEST = 5
_VERBS = frozenset(("DROP", "DELETE", "UPDATE", "CREATE", "ENABLE", "TRUNCATE"))
_EXECUTES = ("EXECUTE", "EXEC", "IMMEDIATE", "SP_EXECUTESQL")
_MOST_PIECES = 1_000
_MOST_VERBS = 500
"""The most changes in one statement, because each of them is judged by everything that follows it."""


class Table(namedtuple("Table", ("name", "line", "subject"))):
    """A table that the file creates."""

    __slots__ = ()
    name: str
    line: int
    subject: str


class FileFacts:
    """What only the whole file can tell: which tables it makes, and which of them have row security."""

    def __init__(self) -> None:
        self.created: list[Table] = []
        self.secured: set[str] = set()


def sql_findings(sql: str, facts: FileFacts, first_line: int = 1, depth: int = 0) -> Iterator[GuardFinding]:
    """Yield the findings in order, and note in `facts` the tables that the file makes.

    Raises `SqlUnreadable` where the text cannot be read.
    """
    for tokens in statements(sql, first_line):
        yield from _statement_findings(tokens, facts)
        if depth < _DEEPEST:
            for script, line in _scripts(tokens):
                yield from sql_findings(script, facts, line, depth + 1)


def _scripts(tokens: list[Token]) -> Iterator[tuple[str, int]]:
    """Yield the SQL that a statement runs at once: the body of DO, a text that is executed.

    The body of a function runs only when it is called, and is not judged.
    """
    if tokens[0].is_word("DO"):
        yield from ((token.text, token.line) for token in tokens if token.kind == BODY)
        if not any(token.kind == BODY for token in tokens):
            yield from ((token.text, token.line) for token in tokens[1:] if token.kind == STRING)
    for at, token in enumerate(tokens[:-1]):
        if token.is_word(*_EXECUTES):
            yield from _executed(tokens, at + 1)


def _executed(tokens: list[Token], at: int) -> Iterator[tuple[str, int]]:
    """Yield the text that is executed with its line, with a name in place of each part that is not a literal.

    The text ends at the comma, USING or INTO behind its expression, or where the parenthesis around it
    closes.
    """
    if tokens[at].is_mark("@") and _is_mark(tokens, at + 2, "="):  # @stmt = N'…'
        at += 3
    is_format = at + 2 < len(tokens) and tokens[at].is_word("FORMAT") and tokens[at + 1].is_mark("(")
    at += 2 if is_format else 0
    while _is_mark(tokens, at, "("):
        at += 1
    if at >= len(tokens) or tokens[at].kind not in (STRING, BODY):
        return
    pieces: list[str] = []
    depth = 0
    for token in tokens[at : at + _MOST_PIECES]:
        depth += token.is_mark("(") - token.is_mark(")")
        if (
            depth < 0
            or token.is_word(*_EXECUTES)
            or (depth == 0 and (token.is_mark(",") or token.is_word("USING", "INTO")))
        ):
            break
        if token.kind in (STRING, BODY):
            pieces.append(token.text)
        elif not (token.kind == MARK and token.text in "|+()"):
            pieces.append(" x ")
    script = "".join(pieces)
    if is_format:
        script = script.replace("%I", "x").replace("%s", "x").replace("%L", "'x'")
    yield script, tokens[at].line


def _statement_findings(tokens: list[Token], facts: FileFacts) -> Iterator[GuardFinding]:
    """Yield the findings of one statement.

    Each verb that may begin a statement, also within another one, is judged by what follows it.
    """
    if sum(token.kind == WORD and token.text in _VERBS for token in tokens) > _MOST_VERBS:
        raise SqlUnreadable(f"one statement holds more than {_MOST_VERBS} changes", tokens[0].line)
    _note_tables(tokens, facts)
    is_alter = tokens[0].is_word("ALTER")
    is_rights = tokens[0].is_word("GRANT", "REVOKE")
    if tokens[0].is_word("GRANT") or (is_alter and any(token.is_word("GRANT") for token in tokens)):
        yield from _grant(tokens)
    alters = [
        at
        for at, token in enumerate(tokens)
        if token.is_word("ALTER") and "TABLE" in _words(tokens, at + 1, 2)
    ]
    for at, token in enumerate(tokens):
        if token.kind != WORD or is_rights:
            continue
        match token.text:
            case "DROP" if _may_begin(tokens, at):
                yield from _drop(tokens, at)
            case "DROP" if alters and alters[0] < at:
                # COLUMN may be left out before the name of a column.
                follows = tokens[at + 1] if at + 1 < len(tokens) else None
                if follows is not None and not (follows.kind == WORD and follows.text in _NO_COLUMN):
                    yield _finding("drop-column", "drops a column with its data", tokens, at)
            case "DISABLE" if _words(tokens, at + 1, 3) == ["ROW", "LEVEL", "SECURITY"]:
                yield _finding("row-security-disabled", "switches row level security off", tokens, at)
            case "TRUNCATE" if _may_begin(tokens, at) and not _is_mark(tokens, at + 1, "("):
                yield _finding("truncate", "empties a whole table", tokens, at)
            case "DELETE" if _words(tokens, max(at - 3, 0), 3) == ["WHEN", "MATCHED", "THEN"]:
                does = "deletes every row that is matched: WHEN MATCHED has no AND"
                yield _finding("delete-unfiltered", does, tokens, at)
            case "DELETE" if _is_delete(tokens, at):
                yield from _unfiltered("delete", tokens, at)
            case "UPDATE" if _is_update(tokens, at):
                yield from _unfiltered("update", tokens, at)


# --- verbs ---


def _may_begin(tokens: list[Token], at: int) -> bool:
    """Check whether a statement may begin here: at the front, in a CTE or behind it, in a block."""
    if at == 0:
        return True
    before = tokens[at - 1]
    return before.text in "()" if before.kind == MARK else before.kind == WORD and before.text in _BEGINS


def _is_delete(tokens: list[Token], at: int) -> bool:
    follows = tokens[at + 1] if at + 1 < len(tokens) else None
    if follows is None or (follows.kind == MARK and follows.text != "["):
        return False
    return follows.is_word("FROM") or (_may_begin(tokens, at) and not follows.is_word("ON", "OR", "ORDER"))


def _is_update(tokens: list[Token], at: int) -> bool:
    """Tell the statement from `ON CONFLICT DO UPDATE SET`, `FOR UPDATE` and the events of triggers."""
    follows = tokens[at + 1] if at + 1 < len(tokens) else None
    if follows is None or follows.is_word("SET", "OF", "OR", "ON") or not _may_begin(tokens, at):
        return False
    if follows.kind not in (WORD, NAME) and not follows.is_mark("["):
        return False
    return any(token.is_word("SET") for token in _own_tokens(tokens, at))


def _unfiltered(verb: str, tokens: list[Token], at: int) -> Iterator[GuardFinding]:
    does = "deletes" if verb == "delete" else "changes"
    condition = _condition(tokens, at)
    if condition is None:
        yield _finding(f"{verb}-unfiltered", f"{does} every row: it has no WHERE", tokens, at)
    elif not condition or is_always_true(condition):
        yield _finding(f"{verb}-unfiltered", f"{does} every row: its WHERE is always true", tokens, at)


def _own_tokens(tokens: list[Token], at: int) -> Iterator[Token]:
    """Yield the tokens of the statement that begins here, without those in parentheses."""
    depth = 0
    for token in tokens[at:]:
        if token.is_mark("("):
            depth += 1
        elif token.is_mark(")"):
            depth -= 1
            if depth < 0:
                return
        elif depth == 0:
            yield token


def _condition(tokens: list[Token], at: int) -> list[Token] | None:
    """Return the tokens behind the WHERE of the statement that begins here, or None without WHERE."""
    depth = 0
    found: list[Token] | None = None
    for token in tokens[at:]:
        depth += token.is_mark("(") - token.is_mark(")")
        if depth < 0:
            break
        if found is not None:
            if depth == 0 and token.is_word(*_ENDS_CONDITION):
                break
            found.append(token)
        elif depth == 0 and token.is_word("WHERE"):
            found = []
    return found


def _drop(tokens: list[Token], at: int) -> Iterator[GuardFinding]:
    kind = tokens[at + 1] if at + 1 < len(tokens) else None
    if kind is None:
        return
    if kind.is_word("FOREIGN", "EXTERNAL") and at + 2 < len(tokens):
        kind, at = tokens[at + 2], at + 1
    if kind.is_word("TABLE"):
        if _words(tokens, at + 2, 2) != ["IF", "EXISTS"]:
            yield _finding("drop-table", "drops a table, without IF EXISTS", tokens, at)
    elif kind.is_word("OWNED"):
        yield _finding("drop-owned", "drops everything that a role owns", tokens, at)
    elif kind.is_word("DATABASE", "SCHEMA"):
        what = kind.text.lower()
        yield _finding(f"drop-{what}", f"drops a {what} with all it holds", tokens, at)


def _grant(tokens: list[Token]) -> Iterator[GuardFinding]:
    words = [token.text if token.kind == WORD else "" for token in tokens]
    start = words.index("GRANT")
    recipients = words[len(words) - 1 - words[::-1].index("TO") :] if "TO" in words else []
    if "PUBLIC" in recipients:
        yield _finding("grant-public", "grants a right to everybody", tokens, start)
    if words[start + 1 : start + 2] == ["ALL"]:
        yield _finding("grant-all", "grants all privileges", tokens, start)


# --- tables ---


def _note_tables(tokens: list[Token], facts: FileFacts) -> None:
    for at, token in enumerate(tokens):
        if token.is_word("CREATE") and _may_begin(tokens, at):
            _note_created(tokens, at, facts)
        elif token.is_word("ENABLE") and _words(tokens, at + 1, 3) == ["ROW", "LEVEL", "SECURITY"]:
            table = next((p for p, one in enumerate(tokens[:at]) if one.is_word("TABLE")), -1)
            if table >= 0:
                facts.secured.add(_name(tokens, table + 1))


def _note_created(tokens: list[Token], at: int, facts: FileFacts) -> None:
    start = at + 1
    while start < len(tokens) and tokens[start].is_word(*_BETWEEN_CREATE_AND_TABLE):
        start += 1
    between = {token.text for token in tokens[at + 1 : start]}
    if (
        start >= len(tokens)
        or not tokens[start].is_word("TABLE")
        or between & {"TEMP", "TEMPORARY", "FOREIGN"}
    ):
        return
    name = _name(tokens, start + 1)
    if name and not name.startswith("pg_temp."):
        facts.created.append(Table(name, tokens[at].line, _subject(tokens)))


def _name(tokens: list[Token], at: int) -> str:
    """Return the name of a table, without the schema `public` and in lower case where it is not quoted.

    Reads name parts and dots in turn, through the brackets of other databases.
    """
    while at < len(tokens) and tokens[at].is_word("IF", "NOT", "EXISTS", "ONLY"):
        at += 1
    parts: list[str] = []
    wants_part = True
    while at < len(tokens):
        token = tokens[at]
        if token.kind == MARK and token.text in "[]":
            pass
        elif token.is_mark(".") and not wants_part:
            wants_part = True
        elif token.kind in (WORD, NAME) and wants_part:
            parts.append(token.text.lower() if token.kind == WORD else token.text)
            wants_part = False
        else:
            break
        at += 1
    return ".".join(parts).removeprefix("public.")


# --- for findings ---


def _words(tokens: list[Token], at: int, count: int) -> list[str]:
    return [token.text if token.kind == WORD else "" for token in tokens[at : at + count]]


def _is_mark(tokens: list[Token], at: int, mark: str) -> bool:
    return at < len(tokens) and tokens[at].is_mark(mark)


def _finding(code: str, does: str, tokens: list[Token], at: int) -> GuardFinding:
    message = f"{quoted(_subject(tokens[at : at + 12]))} {does}"
    return GuardFinding(code, message, tokens[at].line, _subject(tokens))


def _subject(tokens: list[Token]) -> str:
    return " ".join(f"'{token.text}'" if token.kind == STRING else token.text for token in tokens)
