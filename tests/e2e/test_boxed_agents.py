"""Agents in a box: what a run says about their confinement, and what is refused before anything is spent."""

import json
import sys
from pathlib import Path

import pytest
from clibench import Bench, cassette
from standin import Desk

from signoff.host.processes import sandbox_launch

OFFER = sandbox_launch.offer()
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


# --- agents that write elsewhere ---


def lie(bench: Bench, box: str, command: str, **limits: int) -> Bench:
    """Configure an agent that does the tiny ticket and, with the first task, runs this command, too."""
    plot = cassette()
    for entry in plot["entries"]:
        if entry["key"].startswith("implement/T1/"):
            entry["run"] = [["sh", "-c", command]]
    path = bench.root.parent / "script.json"
    path.write_text(json.dumps(plot))
    agent = [sys.executable, "-m", "signoff.testing.scripted_agent", str(path)]
    numbers = "".join(f"{name} = {number}\n" for name, number in {"rework": 0, **limits}.items())
    bench.commit(
        signoff_dot_toml=f'[sandbox]\nagents = "{box}"\n[limits]\n{numbers}'
        f'[agent]\nname = "command"\ncommand = {json.dumps(agent)}\n'
    )
    return bench


def test_an_open_agent_that_writes_beside_its_checkout_is_refused(bench: Bench) -> None:
    ended = lie(bench, "none", "echo x > ../outside", parallel=1)("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 1, ended
    assert ended.document["certificate"] is None
    report = Path(ended.document["report"]).read_text()
    assert "outside-write" in report
    assert "attempt-1/outside" in report
    pinned = bench("runs", "pin", "latest", bench.root.parent / "pack", "--json")
    assert pinned.code == 0, f"nobody writes there in a replay, and it is refused again: {pinned.out}"


def test_a_change_in_the_persons_files_is_put_to_the_person(bench: Bench) -> None:
    """Both agents worked side by side in the open, so it is asked about both; nobody else's word counts."""
    lie(bench, "none", f"echo x > '{bench.root}/README'")

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 3, ended
    assert {halt["code"] for halt in bench("status", "--json").document["halts"]} == {"outside-change"}
    halts = [halt["id"] for halt in bench("status", "--json").document["halts"]]
    guilty = next(halt for halt in halts if halt.startswith("implement/T1/"))
    refused = bench("answer", "latest", guilty, "not the agent")
    assert refused.code != 0, "an agent could have said so"
    for halt in halts:
        assert bench("answer", "latest", halt, "the agent").code == 0
    assert bench("runs", "resume", "latest").code == 1


@needs_a_fence
def test_what_a_boxed_agent_could_not_do_is_no_reason_to_refuse_it(bench: Bench) -> None:
    """It tried with a shell, which nobody can see, and it came to nothing."""
    lie(bench, "auto", f"echo x > ../outside; echo x > '{bench.root}/README'")

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 0, ended
    assert (bench.root / "README").read_text() != "x\n"


def test_an_edit_tool_that_is_pointed_elsewhere_is_a_finding_though_the_box_held(desk: Desk) -> None:
    """Where it can be known, trying is enough."""
    desk.commit(signoff_dot_toml="[limits]\nrework = 0\n")
    desk.moods("work", "reach-out", "reach-out")

    ended = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")

    assert ended.code == 1, ended
    report = Path(ended.document["report"]).read_text()
    assert "outside-write" in report
    assert not (desk.root / "taken.txt").exists()
