"""Another agent takes over: from the stand-in for Claude Code to a program of one's own."""

import json
import sys

import pytest
from clibench import Bench, plan
from standin import Desk

OTHER = f"""
import json, sys
payload = json.load(sys.stdin)["payload"]
if payload["verb"] == "create-plan":
    print(json.dumps({json.loads(json.dumps(plan()))!r}))
else:
    name = payload["task"]["files_create"][0]
    with open(name, "w") as file:
        file.write(name.split(".")[0])
    print(json.dumps(dict(kind="done")))
"""


@pytest.fixture
def desk(bench: Bench) -> Desk:
    return Desk(bench)


def test_a_login_that_does_not_count_leads_to_the_next_agent(desk: Desk) -> None:
    """The run is delivered, and the report says by whom."""
    other = desk.bin / "other.py"
    other.write_text(OTHER)
    command = json.dumps([sys.executable, str(other)])
    named = f'[agent]\nname = "claude"\ncommand = {command}\n'
    desk.commit(signoff_dot_toml=f'{named}\n[agent.fallback]\nauth = ["command"]\n')
    desk.moods("auth")
    ran = desk("run", desk.ticket(), "--yes", "--json")
    assert ran.code == 0, ran
    assert len(desk.calls) == 3
    assert "plan/attempt-1/dispatch-2: plan by command" in ran.err
    assert desk("runs", "replay", "latest", "--json").document["identical"] is True
    runs = json.loads((desk.run_folder(ran.document["run_id"]) / "certificate.json").read_text())
    who = {each["key"]: each["agent"] for each in runs["predicate"]["agent_runs"]}
    assert who["plan/attempt-1/dispatch-1"] == "claude"
    assert who["plan/attempt-1/dispatch-2"] == "command"


@pytest.mark.parametrize(("name", "slug"), [("nobody", "agent-unknown"), ("command", "agent-no-command")])
def test_a_chain_that_could_not_be_followed_is_told_before_anything_starts(
    desk: Desk, name: str, slug: str
) -> None:
    """Better known now than after the plan is paid for."""
    desk.commit(signoff_dot_toml=f'[agent]\nname = "claude"\n\n[agent.fallback]\nany = ["{name}"]\n')
    ran = desk("run", desk.ticket(), "--yes", "--json")
    assert ran.document["error"]["slug"] == slug
    assert not desk.calls
    assert not (desk.root / ".signoff" / "runs").exists()
