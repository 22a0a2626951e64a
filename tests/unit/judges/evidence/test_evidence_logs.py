"""Every captured log, by what it can and cannot show.

The logs are real output of pytest 9, unittest, jest 30, vitest 4, Node 20, cargo 1.95, tsc, eslint, vite,
ruff and mypy, with paths replaced. Those of Go, webpack, Next.js and pytest-json-report are written after
their manuals.
"""

from itertools import product
from pathlib import Path

from signoff.judges.evidence.claim_verdict import ClaimJudgement, Reason, judge
from signoff.judges.evidence.log_runs import Claim, LogStatus

LOGS = Path(__file__).parent / "logs"
B, T, L = Claim.BUILD, Claim.TEST, Claim.LINT

PASSING = {
    **dict.fromkeys(
        (
            *(
                f"pytest-pass{kind}.txt"
                for kind in (
                    "",
                    "-q",
                    "-v",
                    "-ansi",
                    "-xdist",
                    "-xdist-v",
                    "-s",
                    "-ra",
                    "-count",
                    "-classic",
                    "-times",
                    "-nosummary",
                    "-crlf",
                    "-github",
                )
            ),
        ),
        (T, "pytest", (93, 91, 0, 0, 2)),
    ),
    "unittest-pass.txt": (T, "unittest", (3, 2, 0, 0, 1)),
    "unittest-pass-v.txt": (T, "unittest", (3, 2, 0, 0, 1)),
    **dict.fromkeys(
        [f"jest-pass{kind}" for kind in (".txt", "-v.txt", "-ansi.txt", "-cov.txt", "-crlf.txt", ".json")],
        (T, "jest", (4, 2, 0, 0, 2)),
    ),
    **dict.fromkeys(
        ["vitest-pass.txt", "vitest-pass-v.txt", "vitest-pass.json"], (T, "vitest", (4, 2, 0, 0, 2))
    ),
    **dict.fromkeys(
        ["node-pass-tap.txt", "node-pass-spec.txt", "node-pass-spec-ansi.txt"],
        (T, "node --test", (4, 2, 0, 0, 2)),
    ),
    "node-pass.xml": (T, "junit", (4, 2, 0, 0, 2)),
    **dict.fromkeys(
        [f"cargo-test-pass{kind}.txt" for kind in ("", "-q", "-ansi")], (T, "cargo test", (4, 3, 0, 0, 1))
    ),
    "go-test-pass.txt": (T, "go test", (2, 2, 0, 0, 0)),
    "go-test-pass-v.txt": (T, "go test", (4, 3, 0, 0, 1)),
    "go-test-pass.json": (T, "go test", (1, 1, 0, 0, 0)),
    "pytest-json-pass.json": (T, "pytest", (4, 3, 0, 0, 1)),
    **dict.fromkeys(
        ["cargo-build-pass.txt", "cargo-release-pass.txt", "cargo-check-pass.txt", "cargo-build-pass.json"],
        (B, "cargo", (0, 0, 0, 0, 0)),
    ),
    "tsc-pass-diagnostics.txt": (B, "tsc", (83, 83, 0, 0, 0)),
    "tsc-pass-watch.txt": (B, "tsc", (0, 0, 0, 0, 0)),
    "vite-pass.txt": (B, "vite", (0, 0, 0, 0, 0)),
    "webpack-pass.txt": (B, "webpack", (0, 0, 0, 0, 0)),
    "next-pass.txt": (B, "next", (0, 0, 0, 0, 0)),
    "eslint-warn.txt": (L, "eslint", (0, 0, 0, 0, 0)),
    "eslint-pass.json": (L, "eslint", (2, 2, 0, 0, 0)),
    "ruff-pass.txt": (L, "ruff", (0, 0, 0, 0, 0)),
    "ruff-format-pass.txt": (L, "ruff", (1, 1, 0, 0, 0)),
    "mypy-pass.txt": (L, "mypy", (1, 1, 0, 0, 0)),
}

FAILING = {
    **dict.fromkeys([f"pytest-fail{kind}.txt" for kind in ("", "-q", "-v", "-x-ansi")], (T, (1, 0))),
    "pytest-collection-error.txt": (T, (0, 1)),
    "pytest-collection-error-q.txt": (T, (0, 1)),
    "pytest-setup-error.txt": (T, (0, 1)),
    "pytest-json-fail.json": (T, (1, 0)),
    **dict.fromkeys(["unittest-fail.txt", "unittest-fail-v.txt"], (T, (1, 0))),
    **dict.fromkeys(
        [f"{runner}-fail{kind}" for runner in ("jest", "vitest") for kind in (".txt", "-v.txt", ".json")],
        (T, (1, 0)),
    ),
    **dict.fromkeys(
        [f"{runner}-broken-suite{kind}" for runner in ("jest", "vitest") for kind in (".txt", ".json")],
        (T, (0, 1)),
    ),
    **dict.fromkeys(["node-fail-tap.txt", "node-fail-spec.txt", "node-fail.xml"], (T, (1, 0))),
    "cargo-test-fail.txt": (T, (1, 0)),
    "cargo-test-broken.txt": (T, (0, 0)),
    "go-test-fail.txt": (T, (1, 0)),
    "go-test-broken.txt": (T, (1, 0)),
    "go-test-fail.json": (T, (1, 0)),
    "cargo-build-fail.txt": (B, (0, 1)),
    "cargo-build-fail.json": (B, (0, 1)),
    **dict.fromkeys(["tsc-fail.txt", "tsc-fail-pretty.txt", "tsc-fail-npm.txt"], (B, (0, 2))),
    "vite-fail.txt": (B, (0, 1)),
    "webpack-fail.txt": (B, (0, 2)),
    "go-build-fail.txt": (B, (0, 1)),
    "go-vet-fail.txt": (L, (0, 1)),
    "eslint-fail.txt": (L, (0, 2)),
    "eslint-fail.json": (L, (0, 2)),
    **dict.fromkeys(["ruff-fail.txt", "ruff-fail-concise.txt", "ruff-fail.json"], (L, (0, 2))),
    "ruff-format-fail.txt": (L, (0, 1)),
    "mypy-fail.txt": (L, (0, 1)),
}

NEITHER = {
    **dict.fromkeys(
        (
            "pytest-none.txt",
            "pytest-none-q.txt",
            "pytest-deselected.txt",
            "pytest-collect-only.txt",
            "pytest-json-none.json",
            "unittest-none.txt",
            "jest-none.txt",
            "vitest-none.txt",
            "node-none-tap.txt",
            "node-none-spec.txt",
            "node-none.xml",
            "node-only-empty-file-tap.txt",
            "node-only-empty-file-spec.txt",
            "node-only-empty-file.xml",
            "cargo-test-none.txt",
            "cargo-test-filtered.txt",
            "go-test-none.txt",
            "go-test-no-match.txt",
        ),
        (T, Reason.ZERO_COLLECTED),
    ),
    **dict.fromkeys(
        (
            "pytest-skipped.txt",
            "pytest-skipped-q.txt",
            "unittest-skipped.txt",
            "unittest-skipped-v.txt",
            "jest-skipped.txt",
            "jest-skipped.json",
            "vitest-skipped.txt",
            "vitest-skipped.json",
            "node-skipped-tap.txt",
            "node-skipped-spec.txt",
            "node-skipped.xml",
            "cargo-test-skipped.txt",
            "go-test-skipped-v.txt",
            "go-test-skipped.json",
        ),
        (T, Reason.ALL_SKIPPED),
    ),
    "pytest-cut.txt": (T, Reason.TRUNCATED),
    "pytest-pass-qq.txt": (T, Reason.TRUNCATED),
    "go-test-cut.json": (T, Reason.TRUNCATED),
    "node-dot.txt": (T, Reason.UNKNOWN_RUNNER),
    "tsc-silent.txt": (B, Reason.UNKNOWN_RUNNER),
    "ruff-none.txt": (L, Reason.ZERO_COLLECTED),
    "ruff-pass.json": (L, Reason.ZERO_COLLECTED),
}


def read(name: str) -> bytes:
    return (LOGS / name).read_bytes()


def figures(judged: ClaimJudgement) -> tuple[int, ...]:
    counts = judged.counts
    return (counts.collected, counts.passed, counts.failed, counts.errors, counts.skipped)


def test_every_log_is_judged_below() -> None:
    """A log that no case names would be tested by nobody."""
    assert {path.name for path in LOGS.iterdir()} == {*PASSING, *FAILING, *NEITHER}


def test_a_green_run_shows_that_it_passed_and_not_that_it_failed() -> None:
    for name, (claim, runner, counts) in PASSING.items():
        judged = judge(claim, LogStatus.PASSED, read(name))
        against = judge(claim, LogStatus.FAILED, read(name))

        assert (judged.ok, judged.reason) == (True, Reason.BORNE_OUT), f"{name}: {judged.message}"
        assert (judged.runner, figures(judged)) == (runner, counts), name
        assert (against.ok, against.reason) == (False, Reason.NO_FAILURE), name


def test_a_red_run_shows_that_it_failed_and_not_that_it_passed() -> None:
    for name, (claim, counts) in FAILING.items():
        judged = judge(claim, LogStatus.FAILED, read(name))
        against = judge(claim, LogStatus.PASSED, read(name))

        assert (judged.ok, judged.reason) == (True, Reason.BORNE_OUT), f"{name}: {judged.message}"
        assert figures(judged)[2:4] == counts, name
        assert (against.ok, against.reason) == (False, Reason.FAILURE_MARKED), name


def test_a_run_that_ran_nothing_shows_nothing() -> None:
    for (name, (claim, reason)), status in product(NEITHER.items(), LogStatus):
        judged = judge(claim, status, read(name))

        assert (judged.ok, judged.reason) == (False, reason), f"{name}, {status}: {judged.message}"


def test_a_run_of_one_kind_shows_nothing_about_another() -> None:
    """Only a type checker speaks for two kinds, and a failed compilation of tests for both."""
    for name, claim, status in product([*PASSING, *FAILING], Claim, LogStatus):
        kind = (PASSING.get(name) or FAILING[name])[0]
        if claim is kind or name.startswith("mypy-") or name == "cargo-test-broken.txt":
            continue
        judged = judge(claim, status, read(name))
        is_perhaps_clippy = name == "cargo-check-pass.txt" and claim is L
        reason = Reason.UNKNOWN_RUNNER if is_perhaps_clippy else Reason.WRONG_KIND
        assert (judged.ok, judged.reason) == (False, reason), f"{name}, {claim}, {status}"


def test_a_type_checker_speaks_for_builds_and_for_linting() -> None:
    assert judge(B, LogStatus.PASSED, read("mypy-pass.txt")).ok
    assert judge(L, LogStatus.PASSED, read("mypy-pass.txt")).ok
    assert not judge(T, LogStatus.PASSED, read("mypy-pass.txt")).ok


def test_clippy_is_a_linter_where_the_log_says_that_it_ran() -> None:
    for said in (
        "$ cargo clippy --all-targets",
        "+ cargo +nightly clippy",
        "cargo clippy --all-targets -- -D warnings",
        "##[group]Run cargo clippy\n##[endgroup]",
        "warning: `good` (lib) generated 1 warning (run `cargo clippy --fix -p good` to apply it)",
    ):
        log = f"{said}\n".encode() + read("cargo-check-pass.txt")
        judged = judge(L, LogStatus.PASSED, log)

        assert judged.ok, f"{said}: {judged.message}"
        assert judge(B, LogStatus.PASSED, log).reason is Reason.WRONG_KIND, said


def test_a_log_that_may_be_of_clippy_or_of_cargo_check_is_said_to_need_the_command() -> None:
    judged = judge(L, LogStatus.PASSED, read("cargo-check-pass.txt"))

    assert judged.reason is Reason.UNKNOWN_RUNNER
    assert "show the command" in judged.message
