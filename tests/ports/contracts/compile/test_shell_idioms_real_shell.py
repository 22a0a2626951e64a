"""Checks made of commands agree with what the commands show in a real shell."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from signoff.contracts.compile.shell_idioms import Expected, Translated, translate
from signoff.domain.work.checks import CommandExit, ContractCheck, Expectation, FileExists, GrepMatch
from signoff.text.globs import match_glob

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
    ("test ! -f a.ts && echo GONE", "GONE", "GONE"),
    ("grep -q foo a.ts && echo FOUND", "FOUND", "FOUND"),
    ("! grep -q foo a.ts && echo OK", "OK", "OK"),
    ("grep -c foo a.ts", "0", "0"),
    ("grep -rq foo src && echo FOUND", "FOUND", "FOUND"),
    ("grep -rqi foo src --include='*.ts' && echo FOUND", "FOUND", "FOUND"),
    ("grep -rqF 'f(x)' src && echo FOUND", "FOUND", "FOUND"),
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
