"""The commands planners write, and the checks they become."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.contracts.compile.shell_idioms import Expected, Translated, Untranslated, translate
from signoff.domain.work.checks import CommandExit, ContractCheck, Expectation, FileExists, GrepMatch


def there(path: str, text: str | None = None) -> FileExists:
    return FileExists(path=path, must_contain=text)


def present(path: str, pattern: str) -> GrepMatch:
    return GrepMatch(path=path, pattern=pattern, expect=Expectation.PRESENT)


def absent(path: str, pattern: str) -> GrepMatch:
    return GrepMatch(path=path, pattern=pattern, expect=Expectation.ABSENT)


def runs(*argv: str, code: int = 0, cwd: str = ".", out: str | None = None) -> CommandExit:
    return CommandExit(command=argv[0], args=argv[1:], expected_exit=code, cwd=cwd, expect_stdout_match=out)


TABLE: tuple[tuple[str, str, ContractCheck], ...] = (
    # files
    ("test -f src/a.ts", "", there("src/a.ts")),
    ("test -f src/a.ts && echo EXISTS", "EXISTS", there("src/a.ts")),
    ("test -f src/a.ts && echo EXISTS", "`EXISTS`", there("src/a.ts")),
    ("[ -f a.ts ] && echo 'file exists'", "file exists", there("a.ts")),
    ("test -e a.ts", "exists", there("a.ts")),
    ("ls src/a.ts", "src/a.ts", there("src/a.ts")),
    ("test -f app/[id]/page.tsx", "", there("app/[id]/page.tsx")),
    ("test -f 'my file.txt'", "", there("my file.txt")),
    ("ls src/components", "exists", runs("test", "-e", "src/components")),
    ("test -d src", "", runs("test", "-d", "src")),
    ("test -s a.ts", "exit 0", runs("test", "-s", "a.ts")),
    ("test ! -f old.ts", "", runs("test", "!", "-f", "old.ts")),
    ("[ ! -e old.ts ] && echo GONE", "GONE", runs("test", "!", "-e", "old.ts")),
    ("test ! -f old.ts", "file does not exist", runs("test", "!", "-f", "old.ts")),
    ("test -f old.ts", "exit 1", runs("test", "-f", "old.ts", code=1)),
    ("test -f a.ts -a -f b.ts", "exit 0", runs("test", "-f", "a.ts", "-a", "-f", "b.ts")),
    # grep
    ("grep -q foo a.ts", "", present("a.ts", "foo")),
    ("grep foo a.ts", "match", present("a.ts", "foo")),
    ("grep foo a.ts", "at least 1 match", present("a.ts", "foo")),
    ("grep -n 'foo bar' a.ts", "found", present("a.ts", "foo bar")),
    ("grep -c foo a.ts", ">= 1", present("a.ts", "foo")),
    ("grep -c foo a.ts", "≥ 1", present("a.ts", "foo")),
    ("grep -c foo a.ts", "> 0", present("a.ts", "foo")),
    ("grep -c foo a.ts", "non-zero count", present("a.ts", "foo")),
    ("grep foo a.ts", "Non-zero matches", present("a.ts", "foo")),
    ("grep -n foo a.ts", "a non-zero number of matches", present("a.ts", "foo")),
    ("grep foo a.ts", "non zero count of matching lines", present("a.ts", "foo")),
    ("grep -c foo a.ts", "1 or more", present("a.ts", "foo")),
    ("grep -c foo a.ts", "`1`+", present("a.ts", "foo")),
    ("grep -c foo a.ts", "0", absent("a.ts", "foo")),
    ("grep -c foo a.ts", "returns 0", absent("a.ts", "foo")),
    ("grep foo a.ts", "no matches", absent("a.ts", "foo")),
    ("grep foo a.ts", "empty output", absent("a.ts", "foo")),
    ("grep foo a.ts", "exit 1", absent("a.ts", "foo")),
    ("grep -q foo a.ts", "exits non-zero", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "absent", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "exit 0", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "exit 1", present("a.ts", "foo")),
    ("! grep -q foo a.ts && echo CLEAN", "CLEAN", absent("a.ts", "foo")),
    ("grep -rn foo src/", "present", present("src/**", "foo")),
    ("grep -r foo .", "no matches", absent("**", "foo")),
    ("grep -r foo", "found", present("**", "foo")),
    ("grep -rq foo src --include='*.ts'", "", present("src/**/*.ts", "foo")),
    ("grep -rq --include=*.ts foo src", "", present("src/**/*.ts", "foo")),
    ("grep -F 'f(x)' a.ts", "match", present("a.ts", r"f\(x\)")),
    ("grep 'f(x)' a.ts", "match", present("a.ts", r"f\(x\)")),
    ("grep -i foo a.ts", "match", present("a.ts", "(?i)foo")),
    ("grep -q foo Makefile", "", present("Makefile", "foo")),
    # programs
    ("npm test", "", runs("npm", "test")),
    ("npm test", "passes", runs("npm", "test")),
    ("npm test", "All tests pass.", runs("npm", "test")),
    ("npx tsc --noEmit", "no errors", runs("npx", "tsc", "--noEmit")),
    ("npx tsc --noEmit", "exits with code 0, no errors", runs("npx", "tsc", "--noEmit")),
    ("npx tsc --noEmit", "compiles without errors", runs("npx", "tsc", "--noEmit")),
    ("npm run lint", "clean", runs("npm", "run", "lint")),
    ("node check.js", "exit 3", runs("node", "check.js", code=3)),
    ("python -m pytest 'tests/x y.py' -q", "exit 0", runs("python", "-m", "pytest", "tests/x y.py", "-q")),
    ("pytest -q", "output contains `3 passed`", runs("pytest", "-q", out=r"(?<!\d)3 passed")),
    ("node a.js", 'prints "ok", exit 0', runs("node", "a.js", out="ok")),
    ("node a.js", "`ok`", runs("node", "a.js", out="ok")),
    ("git status --porcelain", "no output", runs("git", "status", "--porcelain", out=r"\A\s*\Z")),
    ("npm test && echo OK", "OK", runs("npm", "test")),
    ("npm test # quick", "exit 0", runs("npm", "test")),
    ("bash scripts/check.sh", "exit 0", runs("bash", "scripts/check.sh")),
)


@pytest.mark.parametrize(
    ("command", "expected", "check"), TABLE, ids=[f"{command} → {said}" for command, said, _ in TABLE]
)
def test_an_idiom_becomes_the_check_that_says_the_same(
    command: str, expected: str, check: ContractCheck
) -> None:
    """Planners write shell; a check needs none."""
    found = translate(command, Expected(expected))

    assert isinstance(found, Translated), found
    assert found.check == check


GAPS: tuple[tuple[str, str, str], ...] = (
    ("grep -c error build.log", "no errors", "write `no matches`"),
    ("grep error build.log", "0 errors", "write `no matches`"),
    ("test -f a.ts", "clean", "write `exists`"),
    ("grep -r foo -", "found", "write **Path:**"),
    ("find src -name a.ts", "a.ts", "write `test`, `ls`, `grep` or a script file"),
    ("wc -l a.ts", "3", "write `test`, `ls`, `grep` or a script file"),
    ("test -f a.ts && echo X 2>/dev/null", "X", "leave it out"),
    ("npm test && echo -n OK", "OK", "write two checks"),
    ("test -f src/a.ts && echo ok || echo MISSING", "ok", "write the command alone"),
    ("[[ -f a.ts ]]", "exit 0", "write `test`"),
    ("test -f a.ts || exit 1", "exit 0", "write the command alone"),
    ("test -f a.ts || echo MISSING", "no MISSING", "write the command alone"),
    ("test -f a.ts || echo MISSING", "no output", "write the command alone"),
    ("ls -la src/a.ts 2>/dev/null", "file listed", "leave it out"),
    ("stat a.ts > /dev/null 2>&1", "", "leave it out"),
    ("cd web && test -f a.ts", "exit 0", "write **Folder:**, or paths from the root of the repository"),
    ("test -f a.ts; echo $?", "0", "it uses a shell variable"),
    ("! test -f old.ts", "exit 0", "write `test ! -e PATH`"),
    ("test -f old.ts && echo YES || echo NO", "NO", "write the command alone"),
    ("grep foo a.ts | wc -l", "nonzero count", "write `grep -c PATTERN FILE` and `>= 1` or `0`"),
    ("grep -c foo a.ts", "1", "not understood"),
    ("grep -q foo a.ts && echo FOUND || echo MISSING", "FOUND", "write the command alone"),
    ("grep -q foo a.ts && echo BAD || echo GOOD", "GOOD", "write the command alone"),
    ("grep -q foo a.ts || echo FAIL", "no output", "write the command alone"),
    ("grep foo a.ts | wc -l", "0", "write `grep -c PATTERN FILE` and `>= 1` or `0`"),
    ("grep foo a.ts | wc -l", ">= 1", "write `grep -c PATTERN FILE` and `>= 1` or `0`"),
    ("grep foo a.ts | head -1", "found", "leave it out, and expect the exit code"),
    (
        "cat a.ts | grep foo",
        "",
        "let grep read the file",
    ),
    (
        "cat a.ts | grep -c foo",
        "0",
        "let grep read the file",
    ),
    (
        "cat a.ts | grep foo | wc -l",
        "0 matches",
        "let grep read the file",
    ),
    (
        "grep -r --exclude-dir=node_modules foo src",
        "no matches",
        "write **Path:**, **Pattern:**",
    ),
    ("grep -q foo src/*.ts", "", "write them behind **Path:**, or name the file"),
    ("cd web && grep -rq foo src", "", "write **Folder:**, or paths from the root of the repository"),
    (
        "grep -E 'a|b+' a.ts",
        "match",
        "search for a fixed text with -F",
    ),
    ("egrep 'a|b' a.ts", "match", "write it with `grep`"),
    (
        "grep 'a\\|b' a.ts",
        "match",
        "search for a fixed text with -F",
    ),
    (
        "grep -w foo a.ts",
        "match",
        "write **Path:**, **Pattern:**",
    ),
    (
        "grep -x foo a.ts",
        "match",
        "write **Path:**, **Pattern:**",
    ),
    (
        "grep -e foo -e bar a.ts",
        "match",
        "write **Path:**, **Pattern:**",
    ),
    (
        "grep -q -- '-v' a.ts",
        "",
        "write **Path:**, **Pattern:**",
    ),
    (
        "grep -oP '\\d+' a.ts",
        "match",
        "write **Path:**, **Pattern:**",
    ),
    ("grep foo a.ts", "prints `foo`", "write `found`, or put the text into the pattern"),
    ("rg foo a.ts", "match", "write it with `grep`"),
    ("rg foo src", "no matches", "write it with `grep`"),
    ("npx tsc --noEmit", "0", "write `exit 0`, or quote the output"),
    ("cd web && npm run build", "success", "write **Folder:**, or paths from the root of the repository"),
    ("(cd web && npm test)", "exit 0", "write the command alone"),
    ("npm test || exit 1", "exit 0", "write the command alone"),
    ("npm test || echo FAIL", "no FAIL", "write the command alone"),
    ("npm test > /dev/null 2>&1", "exit 0", "leave it out"),
    ("CI=1 npm test", "exit 0", "write `env CI=1` and the program behind it"),
    ('npx tsc --noEmit 2>&1 | grep -c "error TS"', "0", "leave it out"),
    (
        "! npx tsc --noEmit | grep -q error",
        "",
        "let grep read the file",
    ),
    ("npm run lint 2>&1 | grep error | wc -l", "0", "leave it out"),
    ("pytest -q | tail -5", "all tests pass", "leave it out, and expect the exit code"),
    (
        "curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/",
        "200",
        "or quote the output",
    ),
    ("cat a | awk '{print}'", "", "a pipe into `awk` needs a shell"),
    ("ls src | wc -l", "3", "a pipe into `wc`"),
    ("pytest | tail -1", "`3 passed`", "a pipe into `tail`"),
    (
        "npx tsc | grep -c src",
        "0",
        "let grep read the file",
    ),
    ("node a.js | grep -c error", "0", "a pipe into `grep`"),
    ("echo $HOME", "", "variable"),
    ("test $(ls | wc -l) -eq 3", "", "output of another command"),
    ("a; b", "", "several commands"),
    ("npm run lint && npm test", "exit 0", "two commands"),
    ("npm start &", "", "background"),
    ("npm test > out.txt", "", "> out.txt"),
    ("for f in a b; do test -f $f; done", "", "variable"),
    ("for f in a b; do cat f; done", "", "`for` needs a shell"),
    ("eval 'npm test'", "", "part of the shell"),
    ("bash -c 'npm test'", "", "script file"),
    ("env X=1 sh -ec 'npm test'", "", "script file"),
    ("prettier --check src/*.ts", "", "wildcards"),
    ("tsc a.{ts,js}", "", "braces"),
    ("test -f /etc/passwd", "", "leaves the repository"),
    ("test -f ../x.ts", "", "leaves the repository"),
    ("test -f ~/x.ts", "", "leaves the repository"),
    ("cd .. && npm test", "", "write **Folder:**, or paths from the root of the repository"),
    ("cd /tmp && npm test", "", "write **Folder:**, or paths from the root of the repository"),
    ("node /tmp/x.js", "", "leaves the repository"),
    ("node --config=../x", "", "leaves the repository"),
    ("sudo npm test", "", "rights"),
    ("! npm test", "", "any exit code but 0"),
    ("npm test", "exit non-zero", "any exit code but 0"),
    ("npm test", "3 suites, 40 tests", "not understood"),
    ("npm test", "tests fail", "not understood"),
    ("npm test", "does not print `error`", "not understood"),
    ("npm test", "ok", "not understood"),
    ("node a.js", "0", "a number is expected"),
    ("npm test > /dev/null", "prints `ok`", "leave it out"),
    ("npm test || true", "exit 0", "what follows `||`"),
    ("npm test || echo FAIL", "exit 1", "write the command alone"),
    ("npm test && echo X || echo X", "X", "write the command alone"),
    ("test -f a.ts && echo EXISTS", "no output", "prints when it succeeds"),
    ("test ! -f a.ts", "file exists", "not what is tested"),
    ("test -f a.ts", "3", "not understood"),
    ("grep -c foo a.ts", "3", "not understood"),
    ("grep -c foo a.ts", "exactly 2 matches", "not understood"),
    ("grep -c foo a.ts", "at least 2", "not understood"),
    ("grep -q foo a.ts", "0", "may be an exit code or a count"),
    ("grep foo a.ts", "non-zero", "not understood"),
    ("grep foo a.ts", "not 0", "not understood"),
    ("grep -rc foo src", "non-zero matches", "for every file"),
    ("npm test", "non-zero count", "a number is expected"),
    ("grep foo a.ts b.ts", "match", "several files"),
    ("grep -rc foo src", ">= 1", "for every file"),
    ("grep -v foo a.ts", "match", "-v"),
    ("grep foo", "match", "no file"),
    ("grep foo src", "match", "may be a folder"),
    ("grep foo* a.ts", "match", "not quoted"),
    (
        "grep '\\(a\\)\\1' a.ts",
        "match",
        "search for a fixed text with -F",
    ),
    (
        "grep '^$' a.ts",
        "match",
        "search for a fixed text with -F",
    ),
    ("grep foo a.ts | wc -l", "exit 0", "write `grep -c PATTERN FILE` and `>= 1` or `0`"),
    ("grep foo a.ts | wc -l", "", "write `grep -c PATTERN FILE` and `>= 1` or `0`"),
    (
        "grep -r foo src --include='*.{ts,js}'",
        "match",
        "write **Path:**, **Pattern:**",
    ),
    ("grep -r foo src --exclude='*.js'", "match", "--exclude"),
    ("! grep -q foo a.ts", "found", "to be absent"),
    ("rg foo src", "found", "write it with `grep`"),
    ("", "", "no command"),
    ("&& x", "", "missing"),
    ("FOO=1", "", "write `env FOO=1` and the program behind it"),
)


@pytest.mark.parametrize(("command", "expected", "why"), GAPS, ids=[f"{c} → {e}" for c, e, _ in GAPS])
def test_what_cannot_be_said_without_a_shell_is_a_gap_with_its_reason(
    command: str, expected: str, why: str
) -> None:
    """A check that asks for less than the plan did would be worse than none."""
    found = translate(command, Expected(expected))

    assert isinstance(found, Untranslated), found
    assert why in found.why


@pytest.mark.parametrize(
    ("command", "kind", "why"),
    [
        ("src/a.ts", "file-exists", "takes **Path:**, `test -f PATH`"),
        ("cat src/a.ts", "file-exists", "write `test`"),
        ("npm test", "grep-match", "takes **Path:** and **Pattern:**"),
    ],
)
def test_a_command_of_another_kind_of_check_is_a_gap(command: str, kind: str, why: str) -> None:
    """A file-exists block whose command only runs something would show that nothing is there."""
    found = translate(command, Expected(""), kind)

    assert isinstance(found, Untranslated), found
    assert why in found.why


@pytest.mark.parametrize("command", ["true", "date", "pwd", "sleep 1"])
def test_a_command_that_proves_nothing_is_a_gap(command: str) -> None:
    """A check that holds whatever was done would stand in the contract as a proof."""
    found = translate(command, Expected("exit 0"))

    assert isinstance(found, Untranslated), found
    assert "whatever was done" in found.why


def test_a_failure_that_is_what_was_expected_is_a_gap() -> None:
    """A block that contradicts itself is not for a program to decide."""
    assert isinstance(translate("grep foo a.ts", Expected("found", fail_if="found")), Untranslated)
    assert isinstance(translate("grep -c foo a.ts", Expected(">= 1", fail_if=">= 1")), Untranslated)
    assert isinstance(translate("npm test", Expected("exit 0", fail_if="exit 0")), Untranslated)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls src/a.ts", Expected("exists")),
        ("grep -r foo .", Expected("no matches")),
        ("npm test", Expected("exit 0", fail_if="`warning` is printed")),
    ],
    ids=str,
)
def test_a_reading_worth_a_warning_has_a_note(command: str, expected: Expected) -> None:
    """Whoever wrote the plan may want to say it otherwise."""
    found = translate(command, expected)

    assert isinstance(found, Translated), found
    assert found.note


# The real shell is the judge: a check that passes while the command does not show what is expected is a lie.


# Any text at all.

WORDS = """
    test -f [ ] grep -c -rn a.ts src 'xy' && || | echo OK ! npm ( ) ; 2>&1 >/dev/null cd wc -l cat *.ts \\ "
    $ exit 1 ls -e --include=*.ts rg curl -w FOO=1 [[ ]] .. ~ {a,b} env - -- tsc npx head
"""
PIECES = st.sampled_from(WORDS.split())
COMMANDS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=9).map(" ".join))
SAID = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", "0", "1", ">= 1", "exit 0", "exit 1", "OK", "no matches", "`x`", "no output", "found"]
    ),
)
KINDS = st.sampled_from(["", "file-exists", "grep-match", "command-exit", "behavioral"])


@settings(max_examples=300, deadline=None)
@given(COMMANDS, SAID, SAID, KINDS)
def test_any_command_gives_the_same_answer_twice(command: str, text: str, fail_if: str, kind: str) -> None:
    """Nothing a plan can hold may break the compiler."""
    found = translate(command, Expected(text, fail_if), kind)

    assert found == translate(command, Expected(text, fail_if), kind)
    assert isinstance(found, Translated) or found.why
