"""`[notify]`: a person is told once of each halt and of the end, and a broken program changes nothing."""

import json
import sys
from pathlib import Path

from clibench import Bench, cassette, plan

KEY = "sk-ant-" + "n0Te" * 8


def with_notify(bench: Bench, program: str, agent: str = "hosted", **more: str) -> Path:
    told = bench.root.parent / "told"
    command = json.dumps([sys.executable, "-c", program, str(told)])
    extra = "".join(f"{name} = {value}\n" for name, value in more.items())
    bench.commit(signoff_dot_toml=f'[agent]\nname = "{agent}"\n\n[notify]\ncommand = {command}\n{extra}')
    return told


KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


def notices(told: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []


def test_a_person_is_told_once_of_each_question_and_of_the_end(bench: Bench) -> None:
    """Told again with every resume, people turn it off."""
    told = with_notify(bench, KEEP)
    assert bench("run", bench.ticket()).code == 4
    bench.submit({"kind": "question", "question": f"Is {KEY} yours?", "options": ["yes", "no"]}, "--resume")
    assert bench("runs", "resume", "latest").code == 3

    (asked,) = notices(told)

    assert (asked["event"], asked["code"], asked["outcome"]) == ("halt", "plan-question", "waiting")
    assert asked["question"] == "Is [redacted] yours?"
    assert asked["commands"] == [f"signoff answer {asked['run_id']} {asked['halt']} {n}" for n in (1, 2)]
    bench("answer", "latest", "yes", "--resume")
    refused = {"kind": "plan", "contract": {"version": 1}}
    for _ in range(3):
        bench.submit(refused, "--resume")
    events = [notice["event"] for notice in notices(told)]
    assert events[0] == "halt"
    assert events.count("end") <= 1


def test_the_end_is_told_with_its_outcome(bench: Bench) -> None:
    told = with_notify(bench, KEEP, on='["end"]')
    assert bench("run", bench.ticket(), "--yes").code == 4
    assert bench.submit(plan(), "--resume").code == 4
    bench.work("T1", "hello.txt", "hello\n")
    assert bench.work("T2", "bye.txt", "bye\n").code == 0
    assert bench("runs", "resume", "latest").code == 0

    (ended,) = notices(told)

    assert (ended["event"], ended["outcome"]) == ("end", "signed-off")
    assert ended["commands"] == [f"signoff report {ended['run_id']}"]


def test_a_program_that_fails_or_hangs_changes_neither_outcome_nor_exit_code(bench: Bench) -> None:
    with_notify(bench, "import sys; sys.exit('no network')")
    bench("run", bench.ticket())
    asked = {"kind": "question", "question": "Which?"}

    failed = bench.submit(asked, "--resume")

    assert failed.code == 3
    assert "the [notify] command ended with 1: no network" in failed.err
    with_notify(bench, "import time; time.sleep(60)", timeout_s="1")
    bench("run", bench.ticket())
    late = bench.submit(asked, "--resume")
    assert late.code == 3
    assert "the [notify] command could not be run" in late.err


def test_a_replay_tells_nobody(bench: Bench) -> None:
    told = with_notify(bench, KEEP)
    tape = bench.root.parent / "tape.json"
    tape.write_text(json.dumps(cassette()))

    assert bench("run", bench.ticket(), "--cassette", tape, "--yes").code == 0
    assert notices(told) == []
