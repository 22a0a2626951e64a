"""A delivery with a budget, through the real backend and a stand-in for the agent's program."""

import json
import subprocess
import sys
import time

import pytest
from clibench import Bench
from standin import Desk


@pytest.fixture
def desk(bench: Bench) -> Desk:
    return Desk(bench)


def argument(call: dict[str, object], flag: str) -> str:
    argv = call["argv"]
    assert isinstance(argv, list)
    return str(argv[argv.index(flag) + 1])


def test_a_run_that_would_cost_more_waits_for_a_person(desk: Desk) -> None:
    """A budget of one call: the plan is paid for, the work is not started, and it is no success."""
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json", "--budget-usd", "0.0105")
    assert ran.code == 3, ran
    assert ran.document["halt"]["code"] == "budget-used-up"
    assert len(desk.calls) == 1
    assert "nearly used up: 0.01 of 0.0105 USD" in ran.err
    refused = desk("answer", "latest", "go on", "--json")
    assert (refused.code, refused.document["error"]["slug"]) == (3, "answer-needs-terminal")
    went_on = desk.typed("answer", "latest", "go on", "--resume")
    assert went_on.code == 0, went_on
    assert desk("runs", "replay", "latest", "--json").document["identical"] is True


def test_the_agent_is_told_what_is_left_for_it(desk: Desk) -> None:
    """The planner may spend everything, two builders half of the rest each; the report says what went."""
    desk.commit(signoff_dot_toml="[budget]\nusd = 1\n")
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    told = [argument(call, "--max-budget-usd") for call in desk.calls]
    assert told == ["1.0000", "0.4950", "0.4950"]
    assert "0.03 of 1.00 USD spent" in desk("report", "latest").out
    assert desk("runs", "replay", "latest", "--json").document["identical"] is True


def test_tokens_are_priced_by_the_settings_where_the_agent_tells_no_price(desk: Desk) -> None:
    """The journal holds the price, so that nobody has to compute it again."""
    program = desk.bin / "standin.py"
    program.write_text(program.read_text().replace("total_cost_usd=0.01,", ""))
    desk.commit(signoff_dot_toml='[prices."model-*"]\ninput = 1\noutput = 10\ncache_read = 0.1\n')
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    journal = desk.run_folder(ran.document["run_id"]) / "journal.jsonl"
    usages = [
        json.loads(line)["outcome"]["usage"] for line in journal.read_text().splitlines() if '"usage"' in line
    ]
    assert [(usage["cost_usd"], usage["priced"]) for usage in usages] == [(0.00172, True)] * 3
    assert desk("status", "--json").document["cost_usd"] == pytest.approx(0.00516)


def test_a_budget_that_is_none_is_a_mistake(bench: Bench) -> None:
    """Before anything starts."""
    ran = bench("run", bench.ticket(), "--agent", "hosted", "--budget-usd", "0", "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "budget-invalid")
    assert not (bench.root / ".signoff" / "runs").exists()


def test_a_dispatch_in_flight_when_its_driver_is_killed_counts_for_its_reservation(desk: Desk) -> None:
    """Nobody knows what it cost; it was not free."""
    desk.moods("freeze")
    words = ("run", str(desk.ticket()), "--agent", "claude", "--yes", "--json", "--budget-usd", "1")
    driver = subprocess.Popen(
        [sys.executable, "-m", "signoff", *words],
        cwd=desk.root,
        env=desk.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not desk.calls and time.monotonic() < deadline:
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    ran = desk("runs", "resume", "latest", "--json")
    assert ran.code == 0, ran
    assert len(desk.calls) == 4
    assert argument(desk.calls[1], "--max-budget-usd") == "0.9000"
    report = desk("report", "latest").out
    assert "0.13 of 1.00 USD spent, with the reservation of a dispatch that told no cost" in report
    assert desk("runs", "replay", "latest", "--json").document["identical"] is True
