"""`evidence check`: exit codes and documents."""

from pathlib import Path

import pytest
from clibench import Bench, Ran, empty_bench

LOGS = Path(__file__).parents[1] / "unit" / "judges" / "evidence" / "logs"
KEYS = {"ok", "reason", "message", "claim", "status", "runner", "source", "line", "counts"}
COUNTS = {"collected", "passed", "failed", "errors", "skipped"}
JUNIT = b'<testsuites><testsuite><testcase classname="m" name="a"/></testsuite></testsuites>'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return empty_bench(tmp_path)


def check(
    bench: Bench, claim: str, status: str, log: str | Path, *words: str | Path, stdin: bytes = b""
) -> Ran:
    return bench("evidence", "check", "--claim", claim, "--status", status, log, *words, stdin=stdin)


def test_a_green_log_bears_out_a_pass(bench: Bench) -> None:
    said = check(bench, "test", "passed", LOGS / "pytest-pass.txt", "--json")

    assert said.code == 0
    assert set(said.document) == KEYS
    assert (said.document["ok"], said.document["reason"]) == (True, "borne-out")
    assert (said.document["runner"], said.document["source"]) == ("pytest", "log")
    assert said.document["counts"] == {"collected": 93, "passed": 91, "failed": 0, "errors": 0, "skipped": 2}


def test_a_red_log_bears_out_a_failure_and_no_pass(bench: Bench) -> None:
    log = LOGS / "jest-fail.txt"

    assert check(bench, "test", "failed", log).code == 0
    said = check(bench, "test", "passed", log)
    assert said.code == 1
    assert "not shown (failure-marked)" in said.out


@pytest.mark.parametrize("status", ["passed", "failed"])
def test_a_missing_empty_or_unreadable_log_is_a_no(bench: Bench, status: str) -> None:
    """Nothing here is a usage error: a claim without its log is a claim that is not shown."""
    (bench.root / "empty.log").write_bytes(b"")
    (bench.root / "binary.log").write_bytes(b"\x00" * 100)

    for name, reason in (
        ("nowhere.log", "missing"),
        ("empty.log", "empty"),
        ("binary.log", "not-readable"),
        (".", "not-readable"),
    ):
        said = check(bench, "test", status, name, "--json")
        assert (said.code, said.document["reason"]) == (1, reason)
        assert set(said.document["counts"]) == COUNTS


def test_an_unknown_runner_is_a_no_that_asks_for_a_report_and_takes_it(bench: Bench) -> None:
    log = b"12 examples, 0 failures\n"

    said = check(bench, "test", "passed", "-", "--json", stdin=log)
    assert (said.code, said.document["reason"]) == (1, "unknown-runner")
    assert "report" in said.document["message"]

    report = bench.root / "junit.xml"
    report.write_bytes(JUNIT)
    said = check(bench, "test", "passed", "-", "--report", report, "--json", stdin=log)
    assert (said.code, said.document["source"], said.document["counts"]["passed"]) == (0, "report", 1)


def test_a_missing_or_broken_report_is_a_no(bench: Bench) -> None:
    (bench.root / "broken.xml").write_text("<testsuites>")
    log = LOGS / "pytest-pass.txt"

    for name, reason in (("nowhere.xml", "missing"), ("broken.xml", "not-readable")):
        said = check(bench, "test", "passed", log, "--report", name, "--json")
        assert (said.code, said.document["reason"], said.document["source"]) == (1, reason, "report")


def test_a_report_that_contradicts_the_log_is_a_no(bench: Bench) -> None:
    (bench.root / "junit.xml").write_bytes(JUNIT)

    said = check(bench, "test", "passed", LOGS / "pytest-fail.txt", "--report", "junit.xml", "--json")

    assert (said.code, said.document["reason"]) == (1, "contradictory")


def test_bad_words_are_usage_errors(bench: Bench) -> None:
    log = LOGS / "pytest-pass.txt"
    for words in (
        ("evidence",),
        ("evidence", "check", log),
        ("evidence", "check", "--claim", "test", log),
        ("evidence", "check", "--claim", "deploy", "--status", "passed", log),
        ("evidence", "check", "--claim", "test", "--status", "green", log),
        ("evidence", "check", "--claim", "test", "--status", "passed"),
        ("evidence", "check", "--claim", "test", "--status", "passed", "-", "--report", "-"),
    ):
        assert bench(*words).code == 2


@pytest.mark.parametrize(("claim", "status"), [("deploy", "passed"), ("test", "green")])
def test_a_bad_word_is_answered_with_the_plain_words_to_choose_from(
    bench: Bench, claim: str, status: str
) -> None:
    said = check(bench, claim, status, LOGS / "pytest-pass.txt")

    assert said.code == 2
    assert "<" not in said.err
    assert ("build" if claim == "deploy" else "failed") in said.err
