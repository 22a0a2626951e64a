"""The commands planners write, and the checks they become."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.core.compiling.idioms import Expected, Translated, Untranslated, translate
from signoff.core.contract_rules import check_contract
from signoff.core.globs import match_glob
from signoff.domain.checks import CommandExit, ContractCheck, Expectation, FileExists, GrepMatch
from signoff.domain.contract import Contract, GeneratedBy, Task
from signoff.domain.ids import TaskId
from signoff.domain.violations import Severity


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
    ("test -f src/a.ts && echo ok || echo MISSING", "ok", there("src/a.ts")),
    ("[ -f a.ts ] && echo 'file exists'", "file exists", there("a.ts")),
    ("[[ -f a.ts ]]", "exit 0", there("a.ts")),
    ("test -f a.ts || exit 1", "exit 0", there("a.ts")),
    ("test -f a.ts || echo MISSING", "no MISSING", there("a.ts")),
    ("test -f a.ts || echo MISSING", "no output", there("a.ts")),
    ("test -e a.ts", "exists", there("a.ts")),
    ("ls src/a.ts", "src/a.ts", there("src/a.ts")),
    ("ls -la src/a.ts 2>/dev/null", "file listed", there("src/a.ts")),
    ("stat a.ts > /dev/null 2>&1", "", there("a.ts")),
    ("cd web && test -f a.ts", "exit 0", there("web/a.ts")),
    ("test -f app/[id]/page.tsx", "", there("app/[id]/page.tsx")),
    ("test -f 'my file.txt'", "", there("my file.txt")),
    ("test -f a.ts; echo $?", "0", there("a.ts")),
    ("ls src/components", "exists", runs("test", "-e", "src/components")),
    ("test -d src", "", runs("test", "-d", "src")),
    ("test -s a.ts", "exit 0", runs("test", "-s", "a.ts")),
    ("test ! -f old.ts", "", runs("test", "!", "-f", "old.ts")),
    ("! test -f old.ts", "exit 0", runs("test", "!", "-f", "old.ts")),
    ("[ ! -e old.ts ] && echo GONE", "GONE", runs("test", "!", "-e", "old.ts")),
    ("test ! -f old.ts", "file does not exist", runs("test", "!", "-f", "old.ts")),
    ("test -f old.ts", "exit 1", runs("test", "-f", "old.ts", code=1)),
    ("test -f old.ts && echo YES || echo NO", "NO", runs("test", "-f", "old.ts", code=1)),
    ("test -f a.ts -a -f b.ts", "exit 0", runs("test", "-f", "a.ts", "-a", "-f", "b.ts")),
    # grep
    ("grep -q foo a.ts", "", present("a.ts", "foo")),
    ("grep foo a.ts", "match", present("a.ts", "foo")),
    ("grep foo a.ts", "at least 1 match", present("a.ts", "foo")),
    ("grep -n 'foo bar' a.ts", "found", present("a.ts", "foo bar")),
    ("grep -c foo a.ts", ">= 1", present("a.ts", "foo")),
    ("grep -c foo a.ts", "≥ 1", present("a.ts", "foo")),
    ("grep -c foo a.ts", "> 0", present("a.ts", "foo")),
    ("grep -c foo a.ts", "non-zero", present("a.ts", "foo")),
    ("grep -c foo a.ts", "non-zero count", present("a.ts", "foo")),
    ("grep foo a.ts", "Non-zero matches", present("a.ts", "foo")),
    ("grep -n foo a.ts", "a non-zero number of matches", present("a.ts", "foo")),
    ("grep foo a.ts | wc -l", "nonzero count", present("a.ts", "foo")),
    ("grep foo a.ts", "non zero count of matching lines", present("a.ts", "foo")),
    ("grep -c foo a.ts", "1 or more", present("a.ts", "foo")),
    ("grep -c foo a.ts", "`1`+", present("a.ts", "foo")),
    ("grep -c foo a.ts", "0", absent("a.ts", "foo")),
    ("grep -c foo a.ts", "returns 0", absent("a.ts", "foo")),
    ("grep -c foo a.ts", "1", runs("grep", "-c", "foo", "a.ts", out="^1$")),
    ("grep foo a.ts", "no matches", absent("a.ts", "foo")),
    ("grep foo a.ts", "empty output", absent("a.ts", "foo")),
    ("grep foo a.ts", "exit 1", absent("a.ts", "foo")),
    ("grep -q foo a.ts", "exits non-zero", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "absent", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "exit 0", absent("a.ts", "foo")),
    ("! grep -q foo a.ts", "exit 1", present("a.ts", "foo")),
    ("! grep -q foo a.ts && echo CLEAN", "CLEAN", absent("a.ts", "foo")),
    ("grep -q foo a.ts && echo FOUND || echo MISSING", "FOUND", present("a.ts", "foo")),
    ("grep -q foo a.ts && echo BAD || echo GOOD", "GOOD", absent("a.ts", "foo")),
    ("grep -q foo a.ts || echo FAIL", "no output", present("a.ts", "foo")),
    ("grep foo a.ts | wc -l", "0", absent("a.ts", "foo")),
    ("grep foo a.ts | wc -l", ">= 1", present("a.ts", "foo")),
    ("grep foo a.ts | head -1", "found", present("a.ts", "foo")),
    ("cat a.ts | grep foo", "", present("a.ts", "foo")),
    ("cat a.ts | grep -c foo", "0", absent("a.ts", "foo")),
    ("cat a.ts | grep foo | wc -l", "0 matches", absent("a.ts", "foo")),
    ("grep -rn foo src/", "present", present("src/**", "foo")),
    ("grep -r foo .", "no matches", absent("**", "foo")),
    ("grep -r foo", "found", present("**", "foo")),
    ("grep -rq foo src --include='*.ts'", "", present("src/**/*.ts", "foo")),
    ("grep -rq --include=*.ts foo src", "", present("src/**/*.ts", "foo")),
    ("grep -r --exclude-dir=node_modules foo src", "no matches", absent("src/**", "foo")),
    ("grep -q foo src/*.ts", "", present("src/*.ts", "foo")),
    ("cd web && grep -rq foo src", "", present("web/src/**", "foo")),
    ("grep -E 'a|b+' a.ts", "match", present("a.ts", "a|b+")),
    ("egrep 'a|b' a.ts", "match", present("a.ts", "a|b")),
    (r"grep 'a\|b' a.ts", "match", present("a.ts", "a|b")),
    ("grep -F 'f(x)' a.ts", "match", present("a.ts", r"f\(x\)")),
    ("grep 'f(x)' a.ts", "match", present("a.ts", r"f\(x\)")),
    ("grep -i foo a.ts", "match", present("a.ts", "(?i)foo")),
    ("grep -w foo a.ts", "match", present("a.ts", r"(?<!\w)(?:foo)(?!\w)")),
    ("grep -x foo a.ts", "match", present("a.ts", "^(?:foo)$")),
    ("grep -e foo -e bar a.ts", "match", present("a.ts", "foo|bar")),
    ("grep -q -- '-v' a.ts", "", present("a.ts", "-v")),
    ("grep -oP '\\d+' a.ts", "match", present("a.ts", "[0-9]+")),
    ("grep -q foo Makefile", "", present("Makefile", "foo")),
    ("grep foo a.ts", "prints `foo`", present("a.ts", "foo")),
    ("rg foo a.ts", "match", present("a.ts", "foo")),
    ("rg foo src", "no matches", absent("src", "foo")),
    # programs
    ("npm test", "", runs("npm", "test")),
    ("npm test", "passes", runs("npm", "test")),
    ("npm test", "All tests pass.", runs("npm", "test")),
    ("npx tsc --noEmit", "no errors", runs("npx", "tsc", "--noEmit")),
    ("npx tsc --noEmit", "exits with code 0, no errors", runs("npx", "tsc", "--noEmit")),
    ("npx tsc --noEmit", "0", runs("npx", "tsc", "--noEmit")),
    ("npx tsc --noEmit", "compiles without errors", runs("npx", "tsc", "--noEmit")),
    ("npm run lint", "clean", runs("npm", "run", "lint")),
    ("node check.js", "exit 3", runs("node", "check.js", code=3)),
    ("python -m pytest 'tests/x y.py' -q", "exit 0", runs("python", "-m", "pytest", "tests/x y.py", "-q")),
    ("pytest -q", "output contains `3 passed`", runs("pytest", "-q", out=r"(?<!\d)3 passed")),
    ("node a.js", 'prints "ok", exit 0', runs("node", "a.js", out="ok")),
    ("node a.js", "`ok`", runs("node", "a.js", out="ok")),
    ("git status --porcelain", "no output", runs("git", "status", "--porcelain", out=r"\A\s*\Z")),
    ("cd web && npm run build", "success", runs("npm", "run", "build", cwd="web")),
    ("(cd web && npm test)", "exit 0", runs("npm", "test", cwd="web")),
    ("npm test && echo OK", "OK", runs("npm", "test")),
    ("npm test || exit 1", "exit 0", runs("npm", "test")),
    ("npm test || echo FAIL", "no FAIL", runs("npm", "test")),
    ("npm test > /dev/null 2>&1", "exit 0", runs("npm", "test")),
    ("CI=1 npm test", "exit 0", runs("env", "CI=1", "npm", "test")),
    ("npm test # quick", "exit 0", runs("npm", "test")),
    ("bash scripts/check.sh", "exit 0", runs("bash", "scripts/check.sh")),
    ('npx tsc --noEmit 2>&1 | grep -c "error TS"', "0", runs("npx", "tsc", "--noEmit")),
    ("! npx tsc --noEmit | grep -q error", "", runs("npx", "tsc", "--noEmit")),
    ("npm run lint 2>&1 | grep error | wc -l", "0", runs("npm", "run", "lint")),
    ("pytest -q | tail -5", "all tests pass", runs("pytest", "-q")),
    (
        "curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/",
        "200",
        runs("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost:3000/", out="^200$"),
    ),
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
    ("cat a | awk '{print}'", "", "a pipe into `awk` needs a shell"),
    ("ls src | wc -l", "3", "a pipe into `wc`"),
    ("pytest | tail -1", "`3 passed`", "a pipe into `tail`"),
    ("npx tsc | grep -c src", "0", "does not look for errors"),
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
    ("cd .. && npm test", "", "leaves the repository"),
    ("cd /tmp && npm test", "", "leaves the repository"),
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
    ("npm test > /dev/null", "prints `ok`", "thrown away"),
    ("npm test || true", "exit 0", "what follows `||`"),
    ("npm test || echo FAIL", "exit 1", "never ends with 1"),
    ("npm test && echo X || echo X", "X", "the same word"),
    ("test -f a.ts && echo EXISTS", "no output", "prints when it succeeds"),
    ("test ! -f a.ts", "file exists", "asks for no file"),
    ("test -f a.ts", "3", "not understood"),
    ("grep -c foo a.ts", "3", "a count of exactly 3"),
    ("grep -c foo a.ts", "exactly 2 matches", "a count of exactly 2"),
    ("grep -c foo a.ts", "at least 2", "a count of at least 2"),
    ("grep -q foo a.ts", "0", "may be an exit code or a count"),
    ("grep foo a.ts", "non-zero", "may be an exit code or a count"),
    ("grep foo a.ts", "not 0", "may be an exit code or a count"),
    ("grep -rc foo src", "non-zero matches", "for every file"),
    ("npm test", "non-zero count", "a number is expected"),
    ("grep foo a.ts b.ts", "match", "several files"),
    ("grep -rc foo src", ">= 1", "for every file"),
    ("grep -v foo a.ts", "match", "-v"),
    ("grep foo", "match", "no file"),
    ("grep foo src", "match", "may be a folder"),
    ("grep foo* a.ts", "match", "not quoted"),
    (r"grep '\(a\)\1' a.ts", "match", "refers back"),
    ("grep '^$' a.ts", "match", "empty line"),
    ("grep foo a.ts | wc -l", "exit 0", "exit code of its last command"),
    ("grep foo a.ts | wc -l", "", "nothing is expected"),
    ("grep -r foo src --include='*.{ts,js}'", "match", "more than one kind"),
    ("grep -r foo src --exclude='*.js'", "match", "--exclude"),
    ("! grep -q foo a.ts", "found", "to be absent"),
    ("rg foo src", "found", "hidden and ignored"),
    ("", "", "no command"),
    ("&& x", "", "missing"),
    ("FOO=1", "", "runs nothing"),
)


@pytest.mark.parametrize(("command", "expected", "why"), GAPS, ids=[f"{c} → {e}" for c, e, _ in GAPS])
def test_what_cannot_be_said_without_a_shell_is_a_gap_with_its_reason(
    command: str, expected: str, why: str
) -> None:
    """A check that asks for less than the plan did would be worse than none."""
    found = translate(command, Expected(expected))

    assert isinstance(found, Untranslated), found
    assert why in found.why


def test_a_bare_path_is_a_command_only_where_a_file_is_asked_for() -> None:
    """`src/a.ts` in a file-exists block names the file."""
    assert translate("src/a.ts", Expected("exists"), "file-exists") == Translated(there("src/a.ts"))
    found = translate("cat src/a.ts", Expected("contains `foo`"), "file-exists")
    assert found == Translated(there("src/a.ts", "foo"))


def test_one_match_means_one_or_more_where_only_none_is_a_failure() -> None:
    """`Fail if` tells what the planner had in mind with a count of 1."""
    found = translate("grep -c foo a.ts", Expected("1", fail_if="returns 0"))
    assert found == Translated(present("a.ts", "foo"))


def test_a_failure_that_is_what_was_expected_is_a_gap() -> None:
    """A block that contradicts itself is not for a program to decide."""
    assert isinstance(translate("grep foo a.ts", Expected("found", fail_if="found")), Untranslated)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", Expected("TypeScript compiles")),
        ("npx tsc --noEmit | grep -c error", Expected("0")),
        ("ls src/a.ts", Expected("exists")),
        ("grep -r foo .", Expected("no matches")),
        ("grep -q foo src/*.ts", Expected("")),
        ("node a.js 2>&1", Expected("prints `ok`")),
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

TREES: tuple[dict[str, str], ...] = (
    {},
    {"a.ts": ""},
    {"a.ts": "foo\n"},
    {"a.ts": "foo\nfoo\n", "src/b.ts": "foo"},
    {"a.ts": "bar\n", "src/b.ts": "Foo bar\n", "src/c.js": "foo()\n"},
    {"src/x": "f(x)", "src/foo/b.ts": "bar foo\n"},
)

JUDGED: tuple[tuple[str, str, str], ...] = (
    ("test -f a.ts && echo EXISTS", "EXISTS", "EXISTS"),
    ("[ -e a.ts ] && echo ok || echo MISSING", "ok", "ok"),
    ("test -f a.ts && echo ok || echo MISSING", "MISSING", "MISSING"),
    ("test ! -f a.ts && echo GONE", "GONE", "GONE"),
    ("! test -f a.ts && echo GONE", "GONE", "GONE"),
    ("ls a.ts > /dev/null 2>&1 && echo ok", "ok", "ok"),
    ("grep -q foo a.ts && echo FOUND", "FOUND", "FOUND"),
    ("grep -q foo a.ts && echo BAD || echo GOOD", "GOOD", "GOOD"),
    ("! grep -q foo a.ts && echo OK", "OK", "OK"),
    ("grep -c foo a.ts", "1", "1"),
    ("grep -c foo a.ts", "0", "0"),
    ("grep foo a.ts | wc -l", "0", "0"),
    ("cat a.ts | grep -c foo", "0", "0"),
    ("grep -rq foo src && echo FOUND", "FOUND", "FOUND"),
    ("grep -rqi foo src --include='*.ts' && echo FOUND", "FOUND", "FOUND"),
    ("grep -rqF 'f(x)' src && echo FOUND", "FOUND", "FOUND"),
    ("! grep -rqw Foo src && echo OK", "OK", "OK"),
    ("cd src && grep -q foo b.ts && echo FOUND", "FOUND", "FOUND"),
    ("grep -q foo src/*.ts && echo FOUND", "FOUND", "FOUND"),
)


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("grep")), reason="needs bash and grep")
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_no_check_passes_where_the_command_would_not_have_shown_what_is_expected(
    tree: dict[str, str], tmp_path: Path
) -> None:
    """Run both on the same files; the check may ask for more, never for less."""
    for name, text in tree.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    agreed = 0
    for command, expected, output in JUDGED:
        found = translate(command, Expected(expected))
        assert isinstance(found, Translated), (command, found)
        ran = subprocess.run(
            ["bash", "--norc", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        shown = ran.stdout.strip() == output
        assert shown or not passes(found.check, tmp_path), command
        agreed += shown and passes(found.check, tmp_path)
    assert agreed or not tree


def passes(check: ContractCheck, root: Path) -> bool:
    match check:
        case FileExists():
            return (root / check.path).is_file()
        case GrepMatch():
            files = [p for p in root.rglob("*") if p.is_file()]
            names = [p for p in files if match_glob(os.path.relpath(p, root), check.path)]
            lines = [line for p in names for line in p.read_text().split("\n")]
            is_found = any(re.search(check.pattern, line) for line in lines)
            return bool(names) and is_found == (check.expect is Expectation.PRESENT)
        case CommandExit():
            argv = [check.command, *check.args]
            ran = subprocess.run(argv, cwd=root / check.cwd, capture_output=True, text=True, check=False)
            pattern = check.expect_stdout_match
            return ran.returncode == check.expected_exit and (
                pattern is None or bool(re.search(pattern, ran.stdout))
            )
    raise AssertionError(check)


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
def test_any_command_gives_the_same_answer_twice_and_a_check_that_keeps_the_rules(
    command: str, text: str, fail_if: str, kind: str
) -> None:
    """Nothing a plan can hold may break the compiler, or a contract made by it."""
    found = translate(command, Expected(text, fail_if), kind)

    assert found == translate(command, Expected(text, fail_if), kind)
    if isinstance(found, Untranslated):
        assert found.why
        return
    task = Task(id=TaskId("T1"), title="t", wave=1, verification=(found.check,))
    contract = Contract(
        version=1,
        phase=1,
        goal="g",
        why="w",
        generated_at="2026-01-01T00:00:00Z",
        generated_by=GeneratedBy.COMPILE_PLAN,
        tasks=(task,),
        success_criteria=("c",),
    )
    errors = [v for v in check_contract(contract) if v.severity is Severity.ERROR]
    assert not [v for v in errors if "/verification/" in v.path]
