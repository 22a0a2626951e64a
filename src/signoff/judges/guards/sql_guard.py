"""Decide whether SQL may be written to a file. Pure. `signoff guard sql` calls it.

Only what is added counts: a finding that the old text had already, statement for statement, does not block
an edit that removes another danger.
"""

from collections.abc import Iterator

from signoff.judges.guards.guard_findings import (
    ALLOW,
    UNREADABLE,
    GuardDecision,
    GuardFinding,
    decide,
    quoted,
)
from signoff.judges.guards.sql_embedded import embedded_sql, is_code
from signoff.judges.guards.sql_rules import FileFacts, sql_findings
from signoff.judges.guards.sql_statements import SqlUnreadable

CODES = {
    "drop-table": "a table dropped without IF EXISTS",
    "drop-database": "a database dropped",
    "drop-schema": "a schema dropped",
    "drop-column": "a column dropped",
    "drop-owned": "everything dropped that a role owns",
    "truncate": "a table emptied",
    "delete-unfiltered": "DELETE without WHERE, or with one that is always true",
    "update-unfiltered": "UPDATE without WHERE, or with one that is always true",
    "grant-public": "a right granted to PUBLIC",
    "grant-all": "all privileges granted",
    "row-security-missing": "a table created in a migration without row level security",
    "row-security-disabled": "row level security switched off",
    UNREADABLE: "a text that cannot be read as SQL",
}
"""Every code of this guard, with its meaning."""

MAX_SQL = 8_000_000
"""The largest number of characters that is read."""

_SQL = ("sql", "psql", "pgsql", "ddl", "dml", "mysql")
_MIGRATIONS = frozenset(("migrations", "migration", "migrate", "supabase"))
_MOST_FINDINGS = 200


def guard_sql(
    path: str,
    text: str,
    before: str | None = None,
    *,
    wants_row_security: bool = True,
    allowed: tuple[str, ...] = (),
) -> GuardDecision:
    """Return the decision on a text that goes to `path`, where `before` stands now."""
    if not is_guarded(path):
        return GuardDecision(ALLOW, "the path is neither a migration nor a SQL file", ())
    secured = wants_row_security and is_migration(path)
    found = _findings_at(path, text, secured)
    known: dict[tuple[str, str], int] = {}
    for finding in _findings_at(path, before or "", secured):
        if finding.code != UNREADABLE:
            key = (finding.code, finding.subject)
            known[key] = known.get(key, 0) + 1
    return decide(_added(found, known), allowed, "nothing in it is dangerous by the rules of this guard")


def is_guarded(path: str) -> bool:
    """Check whether the path is a SQL file, or lies among migrations and is code or has no ending."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    _, dot, ending = name.rpartition(".")
    return ending in _SQL or ((not dot or is_code(path)) and is_migration(path))


def is_migration(path: str) -> bool:
    """Check whether a folder on the path is one for migrations."""
    folders = path.replace("\\", "/").lower().split("/")[:-1]
    return not _MIGRATIONS.isdisjoint(folders)


def _findings_at(path: str, text: str, wants_row_security: bool) -> list[GuardFinding]:
    if len(text) > MAX_SQL:
        message = f"the text could not be read: it is longer than {MAX_SQL:,} characters"
        return [GuardFinding(UNREADABLE, message, 1)]
    return _findings_of_code(text) if is_code(path) else _findings(text, wants_row_security)


def _findings(text: str, wants_row_security: bool) -> list[GuardFinding]:
    facts = FileFacts()
    found: list[GuardFinding] = []
    if "\0" in text:
        # Databases differ in what they make of a NUL. The rest is judged as if it were a blank.
        line = text.count("\n", 0, text.index("\0")) + 1
        message = "the text could not be read: it is binary, or in no known coding"
        found.append(GuardFinding(UNREADABLE, message, line))
        text = text.replace("\0", " ")
    try:
        for finding in sql_findings(text, facts):
            found.append(finding)
            if len(found) >= _MOST_FINDINGS:
                return found
    except SqlUnreadable as why:
        found.append(GuardFinding(UNREADABLE, f"the rest could not be read: {why}", why.line))
    if wants_row_security:
        found += _open_tables(facts)
    return sorted(found, key=lambda finding: finding.line)


def _findings_of_code(text: str) -> list[GuardFinding]:
    """Judge the SQL that a migration in another language runs.

    A text that is not plain SQL there is left alone.
    """
    found: list[GuardFinding] = []
    for sql, line in embedded_sql(text):
        try:
            found += sql_findings(sql, FileFacts(), line)
        except SqlUnreadable:
            continue
        if len(found) >= _MOST_FINDINGS:
            break
    return found


def _open_tables(facts: FileFacts) -> Iterator[GuardFinding]:
    for table in facts.created:
        if table.name not in facts.secured:
            message = (
                f"{quoted('CREATE TABLE ' + table.name)} creates a table, and nothing in the file has "
                "ENABLE ROW LEVEL SECURITY for it"
            )
            yield GuardFinding("row-security-missing", message, table.line, f"create table {table.name}")


def _added(found: list[GuardFinding], known: dict[tuple[str, str], int]) -> Iterator[GuardFinding]:
    for finding in found:
        key = (finding.code, finding.subject)
        if known.get(key, 0) > 0:
            known[key] -= 1
        else:
            yield finding
