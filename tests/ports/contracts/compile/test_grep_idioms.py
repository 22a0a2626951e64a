"""Patterns of grep as patterns of Python, compared with what the real grep finds."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.contracts.compile.grep_idioms import literal
from signoff.contracts.compile.shell_idioms import Expected, Translated, translate
from signoff.domain.work.checks import GrepMatch

LINES = (
    "export function foo() {",
    "export const foo_bar = 1;",
    "  import { useState } from 'react';",
    "a+b?c|d(e){f}",
    "aab",
    "aaab",
    "ab",
    "b",
    "cat",
    "concatenate",
    "the cat sat",
    "cat_x",
    "FOO bar Foo",
    "tab\there",
    "x = [1, 2]",
    "x-y.z",
    "a^b$c",
    "*star",
    "price: $5",
    "back\\slash",
    "]close",
    "foo",
    "fo",
    "1234-56",
    "{ x }",
    "{1}",
    "a{2}",
    "a{",
    "a,b",
    "été",
    "  ",
)

PATTERNS: tuple[tuple[str, str], ...] = (
    ("", "foo"),
    ("", "foo()"),
    ("", "a+b?c|d(e){f}"),
    ("", "^a*b$"),
    ("", "^export .*foo"),
    ("", r"x\.z"),
    ("", r"\$5"),
    ("", r"back\\slash"),
    ("", r"\[1, 2\]"),
    ("", "]close"),
    ("", "(*s"),
    ("", r"^\*star"),
    ("-E", "a,b"),
    ("-E", "^a*b$"),
    ("-E", r"foo\(\) \{"),
    ("-E", r"a\+b\?c\|d"),
    ("-F", "a+b?c|d(e){f}"),
    ("-F", "x-y.z"),
    ("-F", "[1"),
    ("-i", "foo"),
    ("-iF", "foo bar"),
)


def pattern_of(flags: str, pattern: str) -> str | None:
    """Return the pattern that a command becomes, or None where it becomes none."""
    found = translate(f"grep {flags} {shlex.quote(pattern)} a.ts", Expected("match"))
    if isinstance(found, Translated):
        assert isinstance(found.check, GrepMatch)
        return found.check.pattern
    assert found.why
    return None


def grep(flags: str, pattern: str, lines: Iterable[str]) -> list[str]:
    argv = ["grep", *([flags] if flags else []), "-e", pattern]
    ran = subprocess.run(
        argv,
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    if ran.returncode not in (0, 1):
        pytest.fail(f"grep refuses {pattern!r}: {ran.stderr}")
    return ran.stdout.splitlines()


needs_grep = pytest.mark.skipif(shutil.which("grep") is None, reason="there is no grep here")


@needs_grep
@pytest.mark.parametrize(("flags", "pattern"), PATTERNS, ids=[" ".join(case) for case in PATTERNS])
def test_a_translated_pattern_is_found_on_the_lines_grep_finds(flags: str, pattern: str) -> None:
    """If this fails, a check says something else than the command it came from."""
    translated = pattern_of(flags, pattern)

    assert translated is not None
    assert [line for line in LINES if re.search(translated, line)] == grep(flags, pattern, LINES)


@pytest.mark.parametrize(
    ("flags", "pattern"),
    [
        *(
            ("", pattern)
            for pattern in (r"foo\|cat", r"\(ab\)", r"a\{2\}", r"a\+", r"a\?b", r"\<cat", r"\bcat")
        ),
        *(
            ("", pattern)
            for pattern in (r"\w", r"\d+", "[[:space:]]x", "[a-z]", "a^b", "a$b", "a**b", "*a", "a\\")
        ),
        *(("-E", pattern) for pattern in ("foo|cat", "(ab)+", "a{2}", "colou?r", "a+", "a)", "a{")),
        *(("", pattern) for pattern in ("", "^$", "x*", "^", "$", "a\nb")),
        *(("-F", pattern) for pattern in ("", "a\nb")),
        ("-i", "été"),
    ],
    ids=repr,
)
def test_a_pattern_that_may_mean_something_else_is_refused(flags: str, pattern: str) -> None:
    """A guess would be a check that the plan does not ask for."""
    assert pattern_of(flags, pattern) is None


@given(st.text(max_size=40))
def test_a_text_taken_literally_is_found_in_itself_and_nowhere_else(text: str) -> None:
    """Output that is expected word for word must not become a pattern."""
    assert re.fullmatch(literal(text), text)


@needs_grep
@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet=r"ab\|(){}[]^$.*+?1,-", min_size=1, max_size=8),
    st.sampled_from(["", "-E", "-F", "-iE"]),
)
def test_whatever_is_translated_agrees_with_grep(pattern: str, flags: str) -> None:
    """Patterns nobody would write find the corners of the translation."""
    translated = pattern_of(flags, pattern)
    if translated is None:
        return
    lines = [
        "ab",
        "a",
        "b",
        "aab",
        "a+b",
        "(a)",
        "a|b",
        "a{1}",
        "1",
        "-",
        "a.b",
        "^a",
        "$b",
        "a\\b",
        "]",
        "*",
        "a,",
    ]

    found = [line for line in lines if re.search(translated, line)]

    assert found == grep(flags, pattern, lines), translated


@given(st.text(max_size=60), st.sampled_from(["", "-E", "-F", "-i"]))
def test_any_pattern_becomes_a_valid_one_or_a_gap(pattern: str, flags: str) -> None:
    """A pattern from a plan is hostile text."""
    if (translated := pattern_of(flags, pattern)) is not None:
        re.compile(translated)
