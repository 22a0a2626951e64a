"""Which files of a change deserve a reader first."""

import time

import pytest

from signoff.judges.diff_risk import WEIGHTS, FileRisk, is_security_path, rate
from signoff.text.formats.unified_diff import parse_diff


def change(path: str, added: list[str], removed: list[str] | None = None) -> str:
    gone = removed or []
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    lines = [*(f"-{line}" for line in gone), *(f"+{line}" for line in added)]
    return head + f"@@ -1,{len(gone)} +1,{len(added)} @@\n" + "\n".join(lines) + "\n"


def one(path: str, added: list[str], removed: list[str] | None = None, beside: str = "") -> FileRisk:
    rated = rate(parse_diff(change(path, added, removed) + beside).files)
    return next(risk for risk in rated if risk.path == path)


def names(risk: FileRisk) -> set[str]:
    return {signal.name for signal in risk.signals}


def test_the_weights_are_those_that_are_documented() -> None:
    assert WEIGHTS == {
        "security_path": 3.0,
        "migration": 4.0,
        "public_api": 2.0,
        "no_test_change": 2.5,
        "test_lines_removed": 3.0,
        "complexity_delta": 1.5,
        "ui_critical": 1.5,
        "loc_changed": 1.0,
    }


@pytest.mark.parametrize(
    ("path", "line", "signal"),
    [
        ("src/auth/login.py", "x = 1", "security_path"),
        ("ios/TokenStore.swift", "x", "security_path"),
        (".github/workflows/ci.yml", "on: push", "security_path"),
        ("db/001.sql", "select 1", "migration"),
        ("App/Migrations/0001_a.cs", "x", "migration"),
        ("alembic/versions/1.py", "x", "migration"),
        ("prisma/migrations/1/migration.sql", "x", "migration"),
        ("a.swift", "public func go() {}", "public_api"),
        ("a.swift", "  @objc func go() {}", "public_api"),
        ("a.kt", "open fun go() {}", "public_api"),
        ("a.kt", "@Composable", "public_api"),
        ("a.ts", "export function go() {}", "public_api"),
        ("a.ts", "export default class Go {}", "public_api"),
        ("a.rs", "pub fn go() {}", "public_api"),
        ("a.go", "func Go() {", "public_api"),
        ("a.java", "  public static void go() {", "public_api"),
        ("a.py", "def go():", "public_api"),
        ("HomeView.swift", "x", "ui_critical"),
        ("LoginScreen.kt", "x", "ui_critical"),
        ("CardConfiguration.swift", "x", "ui_critical"),
        ("a.py", "if x:", "complexity_delta"),
        ("a.ts", "const y = x ? 1 : 2;", "complexity_delta"),
        ("a.ts", "return a && b", "complexity_delta"),
        ("a.py", "x = 1", "no_test_change"),
        ("README.md", "words", "loc_changed"),
    ],
)
def test_each_signal_fires_where_it_should(path: str, line: str, signal: str) -> None:
    assert signal in names(one(path, [line]))


@pytest.mark.parametrize(
    ("path", "line", "signal"),
    [
        ("src/author.py", "x = 1", "security_path"),
        ("src/tokenizer.py", "x = 1", "security_path"),
        ("a.py", "def _go():", "public_api"),
        ("a.py", "    def go(self):", "public_api"),
        ("a.ts", "function go() {}", "public_api"),
        ("README.md", "if you want", "complexity_delta"),
        ("README.md", "words", "no_test_change"),
        ("tests/test_a.py", "def test_a():", "public_api"),
        ("tests/test_a.py", "x", "no_test_change"),
        ("package-lock.json", "x", "no_test_change"),
        ("a.rs", "#[cfg(test)]", "no_test_change"),
    ],
)
def test_each_signal_is_silent_where_it_should_be(path: str, line: str, signal: str) -> None:
    assert signal not in names(one(path, [line]))


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("src/foo.py", "tests/test_foo.py"),
        ("src/foo.py", "tests/foo_test.py"),
        ("App/Foo.swift", "AppTests/FooTests.swift"),
        ("app/Foo.kt", "app/src/test/FooTest.kt"),
        ("src/foo.ts", "src/foo.test.tsx"),
        ("src/foo.ts", "src/foo.spec.ts"),
        ("src/foo_bar.rb", "spec/foo_bar_spec.rb"),
        ("pkg/foo.go", "pkg/foo_test.go"),
        ("src/foo/index.ts", "src/foo.test.ts"),
    ],
)
def test_a_test_named_after_the_file_counts_as_changed_with_it(source: str, test: str) -> None:
    assert "no_test_change" not in names(one(source, ["x = 1"], beside=change(test, ["x"])))
    assert "no_test_change" in names(one(source, ["x = 1"], beside=change("tests/test_other.py", ["x"])))


def test_a_test_file_that_shrinks_is_a_signal_and_one_that_grows_is_none() -> None:
    assert "test_lines_removed" in names(one("tests/test_a.py", ["a"], ["b", "c"]))
    assert "test_lines_removed" not in names(one("tests/test_a.py", ["a", "b"], ["c", "d"]))


def test_a_score_is_the_sum_of_weight_times_value() -> None:
    risk = one("src/auth.py", ["if a:"] * 63 + ["x"] * 960)

    assert risk.score == pytest.approx(sum(s.weight * s.value for s in risk.signals))
    assert {s.name: s.value for s in risk.signals} == {
        "security_path": 1.0,
        "no_test_change": 1.0,
        "complexity_delta": 1.0,
        "loc_changed": 1.0,
    }


def test_control_flow_that_is_taken_away_counts_against_what_is_added() -> None:
    assert "complexity_delta" not in names(one("a.py", ["if a:"], ["if b:", "if c:"]))


def test_files_that_programs_write_are_damped() -> None:
    lock, source = one("yarn.lock", ["x"] * 3_000), one("a.md", ["x"] * 3_000)

    assert lock.score == pytest.approx(source.score / 10)
    assert lock.is_generated


def test_the_riskiest_file_comes_first_and_equals_go_by_path() -> None:
    diff = change("b.md", ["x"]) + change("a.md", ["x"]) + change("src/auth.py", ["if x:"])

    assert [risk.path for risk in rate(parse_diff(diff).files)] == ["src/auth.py", "a.md", "b.md"]


def test_words_in_paths_are_whole_words() -> None:
    assert is_security_path("lib/userSession.ts")
    assert is_security_path("OAuth/x.py") or is_security_path("oauth/x.py")
    assert not is_security_path("docs/authors.md")


def test_a_diff_of_fifty_thousand_lines_is_rated_in_time() -> None:
    """0.3 s for the whole command is the promise; here only the reading and rating, on a busy machine."""
    lines = [f"    if value_{n} and (x or y): return call({n})" for n in range(100)]
    text = "".join(change(f"src/m{n}.py", lines, lines[:17]) for n in range(430))
    assert text.count("\n") > 50_000
    began = time.process_time()

    rate(parse_diff(text).files)

    assert time.process_time() - began < 0.6


def test_blank_lines_without_end_do_not_slow_it_down() -> None:
    text = change("a.ts", [" " * 50] * 40_000)
    began = time.process_time()

    rate(parse_diff(text).files)

    assert time.process_time() - began < 2
