"""Agents in a box: what a run says about their confinement, and what is refused before anything is spent."""

import json

import pytest
from clibench import Bench
from standin import Desk

from signoff.host import sandbox

OFFER = sandbox.offer()
needs_a_fence = pytest.mark.skipif(not OFFER.best.is_fence, reason=f"no fence here: {OFFER.refused}")


@pytest.fixture
def desk(bench: Bench) -> Desk:
    return Desk(bench)


def deliver(desk: Desk) -> str:
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert (ran.code, ran.document["outcome"]) == (0, "signed-off"), ran
    return str(ran.document["run_id"])


def start_of(desk: Desk, run_id: str) -> dict[str, object]:
    lines = (desk.run_folder(run_id) / "journal.jsonl").read_text().splitlines()
    return next(record for line in lines if (record := json.loads(line))["event"] == "run_start")


@needs_a_fence
def test_a_run_of_boxed_agents_is_witnessed_and_says_which_box_held(desk: Desk) -> None:
    """A certificate that says more or less than the journal would be worth nothing."""
    run_id = deliver(desk)

    predicate = json.loads((desk.run_folder(run_id) / "certificate.json").read_text())["predicate"]
    assert predicate["level"] == "witnessed"
    assert {each["sandbox"] for each in predicate["agent_runs"]} == {OFFER.best}
    assert start_of(desk, run_id)["boxed"] is True
    assert f"[{OFFER.best}]" in desk("runs", "show", run_id).out
    assert f"| agents confined by | {OFFER.best} |" in desk("report", run_id).out
    verified = desk("report", run_id, "--verify")
    assert verified.code == 0, verified


def test_a_run_of_open_agents_is_only_observed(desk: Desk) -> None:
    """They had their user's rights, and nothing on this machine can tell what they did with them."""
    desk.commit(signoff_dot_toml='[sandbox]\nagents = "limits"\n')

    run_id = deliver(desk)

    predicate = json.loads((desk.run_folder(run_id) / "certificate.json").read_text())["predicate"]
    assert predicate["level"] == "observed"
    assert {each["sandbox"] for each in predicate["agent_runs"]} == {"limits"}
    assert "boxed" not in start_of(desk, run_id)
    assert desk("report", run_id, "--verify").code == 0


def test_an_agent_that_would_be_freer_than_demanded_is_never_asked(desk: Desk) -> None:
    """A policy that is looked at when the agent has done its work comes too late."""
    desk.commit(signoff_dot_toml='[sandbox]\nagents = "none"\nminimum = "limits"\n')

    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")

    assert (ran.code, ran.document["error"]["slug"]) == (5, "sandbox-unavailable"), ran
    assert "the agent claude" in ran.document["error"]["what"]
    assert desk.calls == []
    assert not (desk.root / ".signoff" / "runs").exists()
