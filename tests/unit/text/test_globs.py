"""Alternatives in braces: what a glob with them covers, and what is no alternative but a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.globs import MAX_ALTERNATIVES, alternatives, is_glob, match_glob, matches_any

ROUTE = "{{cookiecutter.slug}}/setup.py"
CROWD = ",".join(f"f{n}" for n in range(MAX_ALTERNATIVES))


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/**/*.{ts,tsx}", "src/a/b.ts", True),
        ("src/**/*.{ts,tsx}", "src/b.tsx", True),
        ("src/**/*.{ts,tsx}", "src/b.js", False),
        ("src/**/*.{ts,tsx}", "src/b.{ts,tsx}", False),
        ("{src,lib}/**", "lib/a.py", True),
        ("{src,lib}/a.{py,pyi}", "lib/a.pyi", True),
        ("{src,lib}", "lib/deep/a.py", True),
        ("{src,lib}/", "lib/deep/a.py", True),
        ("{src,lib}", "library/a.py", False),
        ("./{src,lib}/*.py", "src/a.py", True),
        ("notes{,.old}.md", "notes.md", True),
        ("notes{,.old}.md", "notes.old.md", True),
        ("a{b,c}d{e,f}", "acde", True),
        ("a{b,c}d{e,f}", "acdg", False),
        ("app/[id]/{page,layout}.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/{page,layout}.tsx", "app/i/page.tsx", False),
        ("{,a}", "b", False),
    ],
)
def test_braces_hold_alternatives(pattern: str, path: str, expected: bool) -> None:
    assert is_glob(pattern)
    assert match_glob(path, pattern) is expected
    assert matches_any(path, ["other", pattern]) is expected


@pytest.mark.parametrize(
    "name", [ROUTE, "a{b}.py", "{}", "a{b,c", "a}b,c{", "{a/b,c}/d.py", '{"a":1,"b":2}', "{a, b}"]
)
def test_braces_without_a_choice_of_names_are_a_name(name: str) -> None:
    assert not is_glob(name)
    assert match_glob(name, name)
    assert alternatives(name) == (name,)


def test_more_alternatives_than_anybody_writes_are_a_name() -> None:
    assert is_glob(f"{{{CROWD}}}")
    assert match_glob("f63", f"{{{CROWD}}}")
    for pattern in (f"{{{CROWD},more}}", f"{{{CROWD}}}.{{ts,tsx}}", "{a,b}" * 10_000):
        assert not is_glob(pattern)
        assert match_glob(pattern, pattern)
        assert not match_glob("f1", pattern)


@given(st.text("ab{},/*?", max_size=20), st.text("ab{},/", max_size=12))
def test_a_glob_covers_what_one_of_its_alternatives_covers(pattern: str, path: str) -> None:
    assert match_glob(path, pattern) == matches_any(path, alternatives(pattern))
    if is_glob(pattern):
        assert any(is_glob(part) for part in pattern.split("/"))
