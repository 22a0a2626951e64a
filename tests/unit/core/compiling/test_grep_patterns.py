"""Patterns of grep in Python's words, compared with what the real grep finds."""

import re
import shutil
import subprocess
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.core.compiling.grep_patterns import Dialect, Matching, NoPattern, literal, to_python

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
    ("", r"foo\|cat"),
    ("", r"\(ab\)\+"),
    ("", r"a\{2,3\}b"),
    ("", r"a\{2\}b"),
    ("", r"a\{,2\}b"),
    ("", "a+b?c|d(e){f}"),
    ("", r"a\?b"),
    ("", "^a*b$"),
    ("", "*star"),
    ("", r"\(*s\)"),
    ("", r"\(^a\)"),
    ("", r"a^b$c"),
    ("", r"cat$\|^foo$"),
    ("", "a**b"),
    ("", "[[:space:]]x"),
    ("", "[[:digit:]][[:digit:]]*-"),
    ("", "[]x]c"),
    ("", "[^]a-z ]"),
    ("", r"[\.]"),
    ("", r"[\]c"),
    ("", r"\[1"),
    ("", "[a-]y"),
    ("", "[.]z"),
    ("", r"\<cat\>"),
    ("", r"\bcat"),
    ("", r"\Bcat"),
    ("", r"\w\W\w"),
    ("", r"import\s*{"),
    ("", r"x\.z"),
    ("", r"\$5"),
    ("", "$5"),
    ("", r"back\\slash"),
    ("", r"\/"),
    ("", "[[:upper:]][[:upper:]]"),
    ("", "[[:alnum:]_]-"),
    ("-E", "foo|cat"),
    ("-E", "(ab)+"),
    ("-E", "a{2,3}b"),
    ("-E", "a{2}b"),
    ("-E", "a{,2}b"),
    ("-E", "a{"),
    ("-E", "{ x"),
    ("-E", r"a\{2\}"),
    ("-E", "foo()"),
    ("-E", r"foo\(\) \{"),
    ("-E", "foo() {"),
    ("-E", "^(cat|foo)$"),
    ("-E", "(^a|b$)"),
    ("-E", "a^b"),
    ("-E", "[[:space:]]+x"),
    ("-E", "colou?r|fo+"),
    ("-E", r"\|d"),
    ("-E", "a+b+"),
    ("-E", "(a|)b"),
    ("-E", "a,b|}"),
    ("-E", r"\<cat"),
    ("-E", "(a?b){2}"),
    ("-E", "a*+b"),
    ("-F", "a+b?c|d(e){f}"),
    ("-F", "foo()"),
    ("-F", "x-y.z"),
    ("-F", "[1"),
    ("-i", "foo"),
    ("-i", "[F]OO BAR"),
    ("-w", "cat"),
    ("-w", "x"),
    ("-w", "fo*"),
    ("-wE", "a|ab"),
    ("-x", "foo"),
    ("-xE", "a|ab"),
    ("-x", "fo*"),
    ("-iw", "FOO"),
    ("-P", r"\d+-\d{2}"),
    ("-P", r"(?:a|b)+c"),
    ("-P", r"cat(?!e)"),
    ("-P", r"(?<=the )cat"),
    ("-P", r"fo+?\b"),
    ("-P", r"[\w.-]+\.z"),
    ("-P", r"tab\there"),
    ("-P", "a{"),
)

DIALECTS = {"E": Dialect.EXTENDED, "F": Dialect.FIXED, "P": Dialect.PERL}


def matching(flags: str, *, wide: bool = False) -> Matching:
    return Matching(
        dialect=next((DIALECTS[flag] for flag in flags if flag in DIALECTS), Dialect.BASIC),
        ignore_case="i" in flags,
        whole_words="w" in flags,
        whole_lines="x" in flags,
        wide=wide,
    )


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
    translated = to_python([pattern], matching(flags))

    assert isinstance(translated, str), translated
    assert [line for line in LINES if re.search(translated, line)] == grep(flags, pattern, LINES)


def test_what_a_locale_decides_is_read_narrowly_for_presence_and_widely_for_absence() -> None:
    """grep calls é a letter in one locale and not in another; the check must not profit from either."""
    narrow, wide = (to_python(["[[:alpha:]]t[[:alpha:]]"], matching("", wide=w)) for w in (False, True))
    assert isinstance(narrow, str)
    assert isinstance(wide, str)

    assert not re.search(narrow, "été")
    assert re.search(wide, "été")
    assert re.search(wide, "ato")
    assert not re.search(wide, "1t2")


@pytest.mark.parametrize("pattern", [r"x\Wy", "x[^[:alpha:]]y"])
def test_the_opposite_of_a_class_is_read_the_other_way_round(pattern: str) -> None:
    """What may be a letter may also be none."""
    narrow, wide = (to_python([pattern], matching("", wide=w)) for w in (False, True))
    assert isinstance(narrow, str)
    assert isinstance(wide, str)

    assert not re.search(narrow, "xéy")
    assert re.search(wide, "xéy")
    assert re.search(narrow, "x-y")


@pytest.mark.parametrize(
    ("flags", "pattern"),
    [
        ("", r"\(a\)\1"),
        ("-E", r"(a)\1"),
        ("", r"\d+"),
        ("-E", r"\d+"),
        ("", "^$"),
        ("", "x*"),
        ("-E", "a|"),
        ("", ""),
        ("", r"\(a"),
        ("-E", "(a"),
        ("-E", "a)"),
        ("-E", "*a"),
        ("-E", "^*"),
        ("", r"\+a"),
        ("", "[a"),
        ("", "[[.a.]]"),
        ("", "[[=a=]]"),
        ("", "[[:nosuch:]]"),
        ("", "[:space:]"),
        ("", "[z-a]"),
        ("", "a\\"),
        ("-E", "a{3,2}"),
        ("-E", "a{99999}"),
        ("-P", r"(?i)foo"),
        ("-P", r"a++"),
        ("-P", r"(?R)"),
        ("-P", r"\Kfoo"),
        ("-P", r"[\S]"),
        ("-E", "(" * 60 + "a" + ")" * 60),
    ],
    ids=repr,
)
def test_what_has_no_faithful_translation_is_refused_with_a_reason(flags: str, pattern: str) -> None:
    """A guess would be a check nobody wrote."""
    refused = to_python([pattern], matching(flags))

    assert isinstance(refused, NoPattern)
    assert refused.why


def test_several_patterns_are_alternatives() -> None:
    """`-e a -e b`, and the lines of one pattern, are each searched for."""
    assert to_python(["a.c", "b\nd"], matching("-F")) == r"a\.c|b|d"


@given(st.text(max_size=40))
def test_a_text_taken_literally_is_found_in_itself_and_nowhere_else(text: str) -> None:
    """Output that is expected word for word must not become a pattern."""
    assert re.fullmatch(literal(text), text)


@needs_grep
@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet=r"ab\|(){}[]^$.*+?1,-", min_size=1, max_size=8),
    st.sampled_from(["", "-E", "-w", "-xE"]),
)
def test_whatever_is_translated_agrees_with_grep(pattern: str, flags: str) -> None:
    """Patterns nobody would write find the corners of the translation."""
    translated = to_python([pattern], matching(flags))
    if isinstance(translated, NoPattern):
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


@given(st.text(max_size=60), st.sampled_from(list(Dialect)), st.booleans())
def test_any_pattern_is_translated_to_a_valid_one_or_refused(
    pattern: str, dialect: Dialect, wide: bool
) -> None:
    """A pattern from a plan is hostile text."""
    translated = to_python([pattern], Matching(dialect=dialect, wide=wide))
    if isinstance(translated, str):
        re.compile(translated)
