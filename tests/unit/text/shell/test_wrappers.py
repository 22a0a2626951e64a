"""Which programs only start another one, and where that one begins."""

import pytest

from signoff.text.shell.invocations import programs
from signoff.text.shell.wrappers import inner_start


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("env -u X A=1 pytest", "pytest"),
        ("env -uX pytest", "pytest"),
        ("sudo -nu root pytest", "pytest"),
        ("timeout --signal KILL 5 pytest", "pytest"),
        ("nice -- pytest", "pytest"),
        ("/usr/bin/TIME pytest", "pytest"),
        ("uv --project web run --with x --extra=y pytest", "pytest"),
        ("uv run -m pytest", "pytest"),
        ("coverage run --source src -m pytest", "pytest"),
        ("npx --package jest jest", "jest"),
        ("pnpm --filter web exec vitest", "vitest"),
        ("xvfb-run -a -s '-x' cypress", "cypress"),
        ("uv sync pytest", "uv sync pytest"),
        ("npm run pytest", "npm run pytest"),
        ("pytest env", "pytest env"),
        ("env", ""),
    ],
)
def test_a_wrapper_is_taken_off_with_its_options(line: str, inner: str) -> None:
    words = line.split()

    assert " ".join(words[inner_start(words) :]) == inner


@pytest.mark.parametrize(
    "line",
    [
        "sudo env X=1 rm a",
        "npx rm a",
        "sh -c 'rm a'",
        "bash <<< 'rm a'",
        "echo rm a | sh",
        "eval rm a",
        "env -S 'rm a'",
        "flock lock -c 'rm a'",
        "find . -exec rm a ;",
        "trap 'rm a' EXIT",
    ],
)
def test_a_program_is_found_behind_what_starts_it(line: str) -> None:
    found = [(program.name, [word.text for word in program.words]) for program in programs(line)]

    assert ("rm", ["a"]) in found
