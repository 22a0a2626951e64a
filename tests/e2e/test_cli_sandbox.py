"""The program with and without a box: what is refused, what a check can reach, what its receipt says."""

import json

import pytest
from clibench import Bench

from signoff.domain.machine.sandbox_records import Level
from signoff.host.processes import sandbox_launch

OFFER = sandbox_launch.offer()
MINIMUM = '[sandbox]\nchecks = "limits"\nminimum = "landlock"\n'


def test_a_run_that_cannot_be_confined_as_demanded_does_not_begin(bench: Bench) -> None:
    """A policy that is only looked at when the agent has done its work comes too late."""
    bench.commit(signoff_dot_toml=MINIMUM)

    ran = bench.start("--json")

    assert (ran.code, ran.document["error"]["slug"]) == (5, "sandbox-unavailable")
    assert "demand at least landlock" in ran.document["error"]["why"]
    runs = bench.root / ".signoff" / "runs"
    assert not runs.exists() or not [path for path in runs.iterdir() if not path.name.startswith(".")]


def run_check(bench: Bench, code: str) -> "dict[str, object]":
    check = {"type": "command-exit", "command": "python", "args": ["-c", code], "expected_exit": 0}
    (bench.root.parent / "check.json").write_text(json.dumps(check))
    ran = bench("check", "run", bench.root.parent / "check.json", "--json")
    document: dict[str, object] = ran.document
    return document


def test_a_check_that_is_run_here_and_now_says_which_level_held(bench: Bench) -> None:
    found = run_check(bench, "open('inside', 'w')")

    receipt = found["receipt"]
    assert isinstance(receipt, dict)
    assert found["result"] == "pass"
    assert receipt.get("sandbox", "none") == OFFER.best
    assert (bench.root / "inside").exists()


@pytest.mark.skipif(OFFER.best.rank < Level.LANDLOCK.rank, reason=f"no fence here: {OFFER.refused}")
def test_a_check_that_is_run_here_and_now_cannot_reach_other_folders(bench: Bench) -> None:
    found = run_check(bench, "open('../outside', 'w')")

    assert found["result"] == "fail"
    assert not (bench.root.parent / "outside").exists()


@pytest.mark.skipif(Level.BWRAP not in OFFER.levels, reason=f"no bwrap here: {OFFER.refused}")
def test_a_check_that_is_run_here_and_now_cannot_rewrite_the_repository(bench: Bench) -> None:
    found = run_check(bench, "open('.git/HEAD', 'w')")

    assert found["result"] == "fail"
    assert bench.git("rev-parse", "HEAD")


def test_a_level_that_is_not_there_leaves_a_check_unjudged(bench: Bench) -> None:
    bench.commit(signoff_dot_toml='[sandbox]\nchecks = "limits"\nnetwork_for_checks = false\n')

    found = run_check(bench, "open('trace', 'w')")

    assert (found["result"], found["failure_reason"]) == ("partial", "verification-execution-error")
    assert not (bench.root / "trace").exists()
