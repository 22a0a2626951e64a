"""`diff-predicate`, the part of it that searches added lines."""

import time
from pathlib import Path

import pytest
from checkbench import EXECUTION_ERROR, FAIL, PARTIAL, PASS, UNMET, Bench
from msgspec.structs import replace

from signoff.checks import regex
from signoff.domain.evidence.receipts import Observation
from signoff.domain.run.check_orders import AddedLine
from signoff.domain.work.checks import DiffPredicate, ForbiddenPattern

LINES = (
    AddedLine(path="src/a.py", line=3, text="x = eval(y)"),
    AddedLine(path="src/a.py", line=4, text="z = 1"),
    AddedLine(path="docs/a.md", line=9, text="never call eval(y)\r"),
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def see(bench: Bench, *forbidden: ForbiddenPattern, lines: tuple[AddedLine, ...] = LINES) -> Observation:
    order = replace(bench.order(DiffPredicate(forbidden=forbidden)), added=lines)
    return bench.run(order).receipt.observation


def test_a_pattern_that_no_added_line_holds_passes(bench: Bench) -> None:
    seen = see(bench, ForbiddenPattern(pattern=r"exec\("))

    assert (seen.result, seen.detail) == (PASS, "in none of 3 added lines")


def test_one_that_some_line_holds_fails_and_says_where(bench: Bench) -> None:
    seen = see(bench, ForbiddenPattern(pattern=r"exec\("), ForbiddenPattern(pattern=r"eval\("))

    assert (seen.result, seen.failure_reason) == (FAIL, UNMET)
    assert "src/a.py:3" in seen.detail
    assert "and 1 more" in seen.detail


def test_only_the_files_in_question_are_searched(bench: Bench) -> None:
    assert see(bench, ForbiddenPattern(pattern=r"eval\(", paths=("lib",))).result is PASS
    found = see(bench, ForbiddenPattern(pattern=r"eval\(", paths=("docs/**",)))
    assert (found.result, "docs/a.md:9" in found.detail) == (FAIL, True)


def test_a_line_ends_where_its_text_does(bench: Bench) -> None:
    """A carriage return before the line feed belongs to neither side of `$`."""
    assert see(bench, ForbiddenPattern(pattern=r"\(y\)$", paths=("docs",))).result is FAIL


def test_what_a_line_holds_is_never_quoted(bench: Bench) -> None:
    """A forbidden pattern is often one for credentials, and the detail goes into the journal."""
    secret = AddedLine(path="a.py", line=1, text="token = 'hunter2hunter2'")

    seen = see(bench, ForbiddenPattern(pattern="token"), lines=(secret,))

    assert seen.result is FAIL
    assert "hunter2" not in seen.detail


@pytest.mark.parametrize("lines", [LINES, ()])
def test_a_pattern_that_cannot_be_used_is_not_judged(bench: Bench, lines: tuple[AddedLine, ...]) -> None:
    """Also where no line was added: nobody knows what it would have forbidden."""
    seen = see(bench, ForbiddenPattern(pattern="("), lines=lines)

    assert (seen.result, seen.failure_reason) == (PARTIAL, EXECUTION_ERROR)


def test_a_pattern_that_takes_for_ever_is_stopped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex, "TIME_LIMIT_S", 0.5)
    began = time.monotonic()

    seen = see(
        bench,
        ForbiddenPattern(pattern="(a+)+$"),
        lines=(AddedLine(path="a", line=1, text="a" * 60 + "!"),),
    )

    assert seen.result is PARTIAL
    assert "took longer" in seen.detail
    assert time.monotonic() - began < 10
