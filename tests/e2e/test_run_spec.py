"""`signoff run --spec`: sprints in their order, each from the result of those before, whatever happens."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from clibench import Bench, Ran
from specbench import lay_spec, lay_tapes, one_file, spec, sprint, tape


def walk(bench: Bench, tapes: Path, *words: str) -> Ran:
    return bench("run", "--spec", "greet", "--cassette", tapes, "--yes", "--json", *words)


def outcomes(ran: Ran) -> dict[str, str]:
    return {row["id"]: row["outcome"] for row in ran.document["sprints"]}


def test_sprints_are_delivered_in_their_order_each_from_the_result_of_those_before(bench: Bench) -> None:
    """One sprint, then the rest, then nothing: a second call must not repeat what is signed off."""
    before = spec(sprint(1, "hello"), sprint(2, "bye", "S1"), extra={"kept": [1, 2]})
    path = lay_spec(bench, before)
    tapes = lay_tapes(bench, S1=tape("hello"), S2=tape("bye"))

    first = walk(bench, tapes, "--next")
    second = walk(bench, tapes)
    written = path.read_bytes()
    third = walk(bench, tapes)

    assert (first.code, outcomes(first)) == (0, {"S1": "signed-off", "S2": "pending"}), first.err
    assert (second.code, outcomes(second)) == (0, {"S1": "signed-off", "S2": "signed-off"}), second.err
    last = second.document["run_id"]
    assert second.document["outcome"] == "signed-off"
    assert bench.git("show", f"refs/signoff/{last}/final:hello.txt") == "hello"
    shown = bench("runs", "show", last, "--json").document["start"]
    assert (shown["spec"], shown["sprint"], shown["follows"]) == ("greet", "S2", first.document["run_id"])
    assert (third.code, third.document["run_id"]) == (0, last)
    assert len(bench("runs", "--json").document["runs"]) == 2
    assert path.read_bytes() == written
    after = json.loads(written)
    assert after["status"] == "completed"
    assert [one["status"] for one in after["sprints"]] == ["completed", "completed"]
    moved = ("status", "updated_at", "completed_at", "sprint_runs", "sprints")
    assert {k: v for k, v in after.items() if k not in moved} == {
        k: v for k, v in before.items() if k not in moved
    }
    assert not (bench.root / "hello.txt").exists()


def test_a_refused_sprint_stops_its_dependants_and_nobody_else(bench: Bench) -> None:
    lay_spec(bench, spec(sprint(1, "hello"), sprint(2, "bye", "S1"), sprint(3, "ciao")))
    tapes = lay_tapes(bench, S1=tape("hello", "wrong"), S2=tape("bye"), S3=tape("ciao"))

    ran = walk(bench, tapes)

    assert ran.code == 1
    assert outcomes(ran) == {"S1": "refused", "S2": "blocked", "S3": "signed-off"}
    lay_tapes(bench, S1=tape("hello"))
    again = walk(bench, tapes)
    assert (again.code, set(outcomes(again).values())) == (0, {"signed-off"})
    final = f"refs/signoff/{again.document['run_id']}/final"
    assert {bench.git("show", f"{final}:{word}.txt") for word in ("hello", "bye", "ciao")} == {
        "hello",
        "bye",
        "ciao",
    }


def test_a_planned_contract_is_delivered_by_its_spec_without_a_planner(bench: Bench) -> None:
    """What `signoff plan` leaves is a spec of one sprint; its approval counts, so nobody is asked again."""
    folder = bench.root / ".signoff" / "contracts"
    folder.mkdir(parents=True)
    (folder / "S1.json").write_text(json.dumps(one_file("hello")))
    lay_spec(bench, spec("S1"))
    no_plan = tape("hello")
    del no_plan["entries"][0]

    ran = walk(bench, lay_tapes(bench, S1=no_plan))

    assert (ran.code, outcomes(ran)) == (0, {"S1": "signed-off"}), ran.err


def test_what_cannot_be_delivered_is_said_before_anything_starts(bench: Bench) -> None:
    question = {"question_id": "Q1", "category": "scope", "question": "Which language?"}
    unclear = spec(sprint(1, "hello"), status="needs-clarification", clarification_questions=[question])
    tapes = lay_tapes(bench, S1=tape("hello"))

    unknown = walk(bench, tapes)
    lay_spec(bench, unclear)
    waits = walk(bench, tapes)
    lay_spec(bench, spec(sprint(1, "hello", "S2"), sprint(2, "bye", "S1")))
    cycle = walk(bench, tapes)
    lay_spec(bench, spec())
    empty = walk(bench, tapes)
    lay_spec(bench, spec("S9"))
    nowhere = walk(bench, tapes)

    assert (unknown.code, unknown.document["error"]["slug"]) == (2, "spec-unknown")
    assert waits.code == 3
    assert waits.document["error"]["fix"] == 'signoff spec answer greet Q1 "ANSWER"'
    assert cycle.code == 2
    assert "sprint-cycle" in {v["code"] for v in cycle.document["violations"]}
    assert (empty.code, empty.document["error"]["slug"]) == (2, "spec-without-sprints")
    assert (nowhere.code, nowhere.document["error"]["slug"]) == (2, "sprint-unknown")
    assert bench("runs", "--json").document["runs"] == []


def _agent(bench: Bench, gate: Path) -> None:
    """An agent that plans the sprint it is given, and does the second one only once `gate` is there."""
    plans = {f"S{n}": {"kind": "plan", "contract": one_file(word)} for n, word in ((1, "hello"), (2, "bye"))}
    program = bench.root.parent / "agent.py"
    program.write_text(
        "import json, os, sys, time\n"
        f"plans, gate = json.loads({json.dumps(json.dumps(plans))}), {str(gate)!r}\n"
        "asked = json.load(sys.stdin)['payload']\n"
        "if asked['verb'] == 'create-plan':\n"
        "    print(json.dumps(plans[asked['ticket']['id']]))\n"
        "    sys.exit()\n"
        "(path,) = asked['task']['files_create']\n"
        "while path == 'bye.txt' and not os.path.exists(gate):\n"
        "    time.sleep(0.05)\n"
        "open(path, 'w').write(path.removesuffix('.txt'))\n"
        "print(json.dumps({'kind': 'done'}))\n"
    )
    command = json.dumps([sys.executable, str(program)])
    bench.commit(signoff_dot_toml=f'[agent]\nname = "command"\ncommand = {command}\n')


def _wait_for(happened: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_walk_that_was_killed_goes_on_where_it_stood(bench: Bench, tmp_path: Path) -> None:
    """The first sprint is not repeated, the second is resumed in its own run, and the file is told."""
    path = lay_spec(bench, spec(sprint(1, "hello"), sprint(2, "bye", "S1")))
    gate = tmp_path / "gate"
    _agent(bench, gate)
    command = [sys.executable, "-m", "signoff", "run", "--spec", "greet", "--yes"]
    process = subprocess.Popen(
        command, cwd=bench.root, env=bench.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

    def is_at_second() -> bool:
        runs = bench.root / ".signoff" / "runs"
        return any(b"implement/T1" in j.read_bytes() for j in runs.glob("*/journal.jsonl")) and (
            "S2" in json.loads(path.read_text()).get("sprint_runs", {})
        )

    _wait_for(is_at_second)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    between = json.loads(path.read_text())
    gate.touch()

    ran = bench("run", "--spec", "greet", "--yes", "--json")

    assert ran.code == 0, ran.err
    runs = {name: one["run_id"] for name, one in between["sprint_runs"].items()}
    assert {row["id"]: row["run_id"] for row in ran.document["sprints"]} == runs
    assert set(outcomes(ran).values()) == {"signed-off"}
    assert json.loads(path.read_text())["status"] == "completed"
    assert len(bench("runs", "--json").document["runs"]) == 2
