"""What the guard makes of SQL: statement by statement, and only what is added."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sql_cases import ALLOWED, BLOCKED

from signoff.judges.guards.sql_guard import CODES, guard_sql

MIGRATION = "supabase/migrations/7_users.sql"
PIECES = (
    "DELETE FROM t ", "WHERE ", "UPDATE t SET ", "(", ")", ";", "'", '"', "$$", "$a$", "/*", "*/", "--", "\n",
    "DROP TABLE ", "ALTER TABLE ", "CREATE TABLE t ", "OR ", "AND ", "1=1 ", "NOT ", "EXECUTE ", "DO ", "E'",
    "\\",
    "COPY t FROM STDIN;", "[", "]", "ENABLE ROW LEVEL SECURITY ", "GRANT ", "TO ", "\0",
)  # fmt: skip


def codes(sql: str, path: str = MIGRATION, before: str | None = None) -> list[str]:
    return [finding.code for finding in guard_sql(path, sql, before).findings]


@pytest.mark.parametrize("sql", BLOCKED)
def test_dangerous_sql_is_blocked(sql: str) -> None:
    """What gets through here is run on the data of users."""
    said = guard_sql(MIGRATION, sql)

    assert said.decision == "block"
    assert {finding.code for finding in said.findings} <= set(CODES)


@pytest.mark.parametrize("sql", ALLOWED)
def test_sql_that_only_looks_dangerous_is_allowed(sql: str) -> None:
    assert guard_sql(MIGRATION, sql).decision == "allow"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DROP TABLE a", ["drop-table"]),
        ("DROP DATABASE a", ["drop-database"]),
        ("DROP SCHEMA a", ["drop-schema"]),
        ("ALTER TABLE t DROP a", ["drop-column"]),
        ("DROP OWNED BY a", ["drop-owned"]),
        ("TRUNCATE a", ["truncate"]),
        ("DELETE FROM a", ["delete-unfiltered"]),
        ("UPDATE a SET b = 1", ["update-unfiltered"]),
        ("GRANT SELECT ON t TO bob, PUBLIC", ["grant-public"]),
        ("GRANT ALL ON t TO bob", ["grant-all"]),
        ("CREATE TABLE t (id int)", ["row-security-missing"]),
        ("ALTER TABLE t DISABLE ROW LEVEL SECURITY", ["row-security-disabled"]),
        ("SELECT 'half", ["unreadable"]),
        ("DROP TABLE a; SELECT 'half", ["drop-table", "unreadable"]),
        ("SELECT 1;\n\0DROP TABLE users;", ["unreadable", "drop-table"]),
    ],
)
def test_each_finding_has_its_code(sql: str, expected: list[str]) -> None:
    assert codes(sql) == expected


def test_findings_name_their_line() -> None:
    said = guard_sql(MIGRATION, "SELECT 1;\n-- a comment\nSELECT 'two\nlines';\nDROP TABLE t;\n")

    assert [(finding.code, finding.line) for finding in said.findings] == [("drop-table", 5)]
    assert said.reason.startswith("line 5: ")


def test_a_careful_statement_excuses_no_other() -> None:
    """One IF EXISTS in a file says nothing about the next DROP."""
    assert codes("DROP TABLE IF EXISTS a;\nDROP TABLE b;") == ["drop-table"]
    assert codes("DELETE FROM a WHERE id = 1; DELETE FROM b;") == ["delete-unfiltered"]


def test_row_security_is_asked_of_every_table_of_a_migration() -> None:
    sql = "CREATE TABLE a (id int); CREATE TABLE b (id int); ALTER TABLE a ENABLE ROW LEVEL SECURITY;"

    assert codes(sql) == ["row-security-missing"]
    assert "CREATE TABLE b" in guard_sql(MIGRATION, sql).reason
    assert codes(sql, "schema/dump.sql") == []
    assert guard_sql(MIGRATION, sql, wants_row_security=False).decision == "allow"


def test_removing_danger_is_allowed() -> None:
    """Whoever takes a DROP out must not be stopped because of the DROP."""
    before = "DROP TABLE a;\nDELETE FROM b;\n"

    assert codes("DELETE FROM b;\n", before=before) == []
    assert codes("DELETE FROM b;\nDELETE FROM b;\n", before=before) == ["delete-unfiltered"]
    assert codes("DROP TABLE c;\n", before=before) == ["drop-table"]


def test_taking_row_security_out_is_an_addition() -> None:
    before = "CREATE TABLE a (id int);\nALTER TABLE a ENABLE ROW LEVEL SECURITY;\n"

    assert codes("CREATE TABLE a (id int);\n", before=before) == ["row-security-missing"]


@pytest.mark.parametrize(
    ("path", "is_judged"),
    [
        ("a.sql", True),
        ("A.SQL", True),
        ("db/migrations/7", True),
        ("db\\migrations\\7.sql", True),
        ("src/app.py", False),
        ("db/migrations/0001_initial.py", False),
        ("README.md", False),
    ],
)
def test_only_sql_is_judged(path: str, is_judged: bool) -> None:
    assert (guard_sql(path, "DROP TABLE t").decision == "block") is is_judged


CODE_BLOCKED = (
    ("1.py", 'def upgrade():\n    op.execute("DROP TABLE users")\n'),
    ("1.py", 'op.execute("""\n    DELETE FROM users;\n""")'),
    ("1.py", 'op.execute(sa.text("TRUNCATE users"))'),
    ("1.py", 'op.execute("DROP "\n    "TABLE users")'),
    ("1.py", 'op.execute(f"DELETE FROM {table}")'),
    ("1.py", "migrations.RunSQL(sql='DROP TABLE users')"),
    ("1.py", "migrations.RunSQL(['SELECT 1', 'DROP TABLE users'])"),
    ("1.ts", "await knex.raw('DROP TABLE users');"),
    ("1.js", "pgm.sql(`DELETE FROM ${table};`);"),
    ("1.ts", 'await queryRunner.query(`DROP TABLE "users"`);'),
    ("1.ts", "await sql`DROP TABLE users`.execute(db);"),
    ("1.ts", "this.#x = 1; knex.raw('DROP TABLE users')"),
    ("1.py", "op.execute(\n    # why\n    'DROP TABLE users')"),
)
CODE_ALLOWED = (
    ("1.py", '# op.execute("DROP TABLE users")'),
    ("1.py", 'op.execute("DROP TABLE IF EXISTS users")'),
    ("1.py", 'op.execute("UPDATE users SET a = 1 WHERE b = 2")'),
    ("1.py", 'op.execute(f"DELETE FROM {table} WHERE id = {id}")'),
    ("1.py", 'op.drop_table("users")\nprint("DROP TABLE users")'),
    ("1.py", 'op.execute("CREATE TABLE users (id int)")'),
    ("1.py", 'op.execute("it\'s")'),
    ("1.ts", "// knex.raw('DROP TABLE users')"),
    ("1.ts", "knex.raw('DELETE FROM a WHERE b = ?', ['DROP TABLE users'])"),
)


@pytest.mark.parametrize(("name", "code"), CODE_BLOCKED)
def test_sql_that_a_migration_in_another_language_runs_is_judged(name: str, code: str) -> None:
    said = guard_sql(f"db/migrations/{name}", code)

    assert said.decision == "block"
    assert guard_sql(f"src/{name}", code).decision == "allow"


@pytest.mark.parametrize(("name", "code"), CODE_ALLOWED)
def test_a_migration_in_another_language_that_runs_no_danger_is_allowed(name: str, code: str) -> None:
    assert guard_sql(f"db/migrations/{name}", code).decision == "allow"


def test_sql_in_another_language_is_found_by_its_line() -> None:
    code = 'def upgrade():\n    op.execute("""\n        SELECT 1;\n        DROP TABLE users;\n    """)\n'

    assert [finding.line for finding in guard_sql("migrations/1.py", code).findings] == [4]


def test_rows_of_a_dump_are_no_sql() -> None:
    dump = "COPY t (a) FROM stdin;\nit's 1\nDROP TABLE x;\n\\.\nDROP TABLE t;\n"

    assert [finding.line for finding in guard_sql("dump.sql", dump).findings] == [5]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join) | st.text(max_size=300))
def test_any_text_gets_a_decision(text: str) -> None:
    assert guard_sql(MIGRATION, text).decision in ("allow", "block")
    assert guard_sql("migrations/1.py", "execute('" + text).decision in ("allow", "block")


@given(st.text(max_size=100))
def test_danger_in_a_string_or_a_comment_is_text(text: str) -> None:
    quoted = text.replace("'", "''").replace("\0", "")

    assert codes(f"SELECT '{quoted} DROP TABLE t; DELETE FROM t';") == []


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "(DELETE FROM t WHERE x",
        "/*",
        "*/",
        "$a$",
        "E'\\'",
        "DROP ",
        "a OR ",
        "((1)",
        "EXECUTE 'a'||",
        "sql(`",
        "raw(['a',",
    ],
)
def test_long_texts_are_read_in_reasonable_time(piece: str) -> None:
    start = time.monotonic()
    guard_sql(MIGRATION, "DELETE FROM t WHERE " + piece * (100_000 // len(piece)))
    guard_sql("migrations/1.py", "op.execute(['DROP', " + piece * (100_000 // len(piece)))

    assert time.monotonic() - start < 10
