"""The ledger of real runs: whole after a kill, silent when told so, and without a word that is private."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from clibench import TICKET, Bench, Ran, cassette, plan

PLACES = ("ticket", "prompt", "answer", "patch", "stdout", "stderr", "garbage", "usage")
PLANTED = {place: f"zq{place}secretzq" for place in PLACES}
AGENT = """
import json, sys
with open({script!r}) as file:
    planted, plan = json.load(file)
directive = json.load(sys.stdin)
key = directive["key"]
sys.stderr.write("thinking about " + planted["stderr"] + "\\n")
usage = dict(input_tokens=1000, output_tokens=10, cost_usd=0.5, model=planted["usage"] + " in words")
if key.startswith("plan/"):
    print(planted["stdout"])
    answer = dict(plan, usage=usage)
elif key == "implement/T1/attempt-1/dispatch-1":
    print(planted["garbage"])
    sys.exit(0)
elif key == "implement/T1/attempt-1/dispatch-2":
    sys.exit(7)
else:
    task = directive["payload"]["task"]
    name = task["files_create"][0]
    with open(name, "w") as file:
        file.write(name.split(".")[0] + " " + planted["patch"])
    answer = dict(kind="done", summary=planted["answer"], usage=dict(usage, model="model-x"))
print(json.dumps(answer))
"""


def with_agent(bench: Bench, code: str) -> Bench:
    command = json.dumps([sys.executable, "-c", code])
    bench.commit(signoff_dot_toml=f'[agent]\nname = "command"\ncommand = {command}\n')
    return bench


def records(bench: Bench, *words: str) -> list[dict[str, Any]]:
    shown = bench("agents", *words, "--json")
    assert shown.code == 0, shown.err
    found: list[dict[str, Any]] = shown.document["records"]
    return found


def ledger_of(bench: Bench) -> Path:
    return bench.root / ".signoff" / "agent-runs.jsonl"


def played(bench: Bench, made: dict[str, Any], *words: str) -> Ran:
    path = bench.root.parent / "cassette.json"
    path.write_text(json.dumps(made))
    return bench("run", bench.ticket(), "--cassette", path, "--yes", *words)


def left_elsewhere(bench: Bench, run_id: str) -> set[str]:
    """Give the planted words that the run itself has; a word that got nowhere would show nothing."""
    files = [path for path in bench.run_folder(run_id).rglob("*") if path.is_file()]
    delivered = bench.git("show", f"refs/signoff/{run_id}/final:hello.txt").encode()
    data = b"".join((delivered, *(path.read_bytes() for path in files)))
    return {word for word in PLANTED.values() if word.encode() in data}


def test_nothing_private_of_a_real_run_is_in_the_ledger(bench: Bench) -> None:
    """Ticket, prompt, answers, patch, stdout and stderr each hold a word of their own; none may be found."""
    asked = plan(why=PLANTED["prompt"])
    script = bench.root.parent / "script.json"
    script.write_text(json.dumps([PLANTED, asked]))
    with_agent(bench, AGENT.format(script=str(script)))
    ticket = bench.root.parent / "planted.md"
    ticket.write_text(TICKET + f"\n{PLANTED['ticket']}\n")

    ended = bench("run", ticket, "--yes", "--json")

    assert ended.code == 0, ended.err
    text = ledger_of(bench).read_text()
    assert [word for word in PLANTED.values() if word in text] == []
    assert bench("ledger", "check", ledger_of(bench), "--json").document["violations"] == []
    found = records(bench)
    assert left_elsewhere(bench, ended.document["run_id"]) == set(PLANTED.values())
    assert [
        (r["task_id"], r["status"], r.get("failure_class")) for r in found if r.get("task_id") == "T1"
    ] == [
        ("T1", "failure", "malformed-answer"),
        ("T1", "failure", "crashed"),
        ("T1", "success", None),
    ]
    failures = records(bench, "--failed", "--task", "T1")
    assert [r["failure_detail"] for r in failures][1] == "the program ended with an error (exit code 7)"
    assert [r["retry_of"] for r in failures[1:]] == [r["run_id"] for r in failures[:1]]
    assert found[0]["model"] == "unknown"
    done = next(r for r in found if r.get("task_id") == "T2")
    assert (done["files_changed"], done["cost_usd"], done["model"]) == (["bye.txt"], 0.5, "model-x")
    side = (bench.root / failures[1]["log_file"]).read_text()
    assert PLANTED["stderr"] in side
    assert [word for place, word in PLANTED.items() if place != "stderr" and word in side] == []
    assert ended.document["run_id"] in {r["skill_invocation_id"] for r in found}
    status = bench("status", "--json").document
    assert (status["cost_usd"], status["cost_at_least"]) == (1.5, True)
    report = Path(ended.document["report"]).read_text()
    assert "| total |  |  |  | 5 | at least 3.0k | at least 30 | unknown | at least 1.5000 USD |" in report
    table = bench("agents", "--last", "2").out
    assert "builder (command)" in table
    assert "hello.txt (a retry)" in table


def test_what_a_killed_driver_left_out_is_appended_when_the_run_goes_on(bench: Bench) -> None:
    """The journal comes first; a kill between it and the ledger must not leave a hole."""
    bench.start("--yes")
    assert records(bench) == []
    bench.submit(plan(), "--resume")
    before = records(bench)
    ledger_of(bench).unlink()

    bench.work("T1", "hello.txt", "hello\n")
    ended = bench.work("T2", "bye.txt", "bye\n")

    assert ended.code == 0, ended.err
    after = records(bench)
    assert after[0] == before[0]
    assert [(r["agent_type"], r["agent"], r["status"]) for r in after] == [
        ("planner", "hosted", "success"),
        ("builder", "hosted", "success"),
        ("builder", "hosted", "success"),
    ]
    assert after[1]["files_changed"] == ["hello.txt"]
    assert "unknown" in bench("report", "latest").out.split("## Cost")[1]

    lines = ledger_of(bench).read_bytes()
    ledger_of(bench).write_bytes(lines[: len(lines) // 2])
    shown = bench("agents", "--json")
    assert (shown.code, len(shown.document["unreadable"])) == (1, 1)
    ledger_of(bench).unlink()
    assert bench("agents", "rebuild", "--json").document == {"appended": 3, "runs": 1, "skipped": []}
    assert records(bench) == after
    assert bench("agents", "rebuild", "--json").document["appended"] == 0


def test_telemetry_off_stops_writing_for_good_and_not_reading(bench: Bench) -> None:
    """What ran silently must not turn up later, when the run is resumed or the ledger rebuilt."""
    assert played(bench, cassette()).code == 0
    assert len(records(bench)) == 3
    whole = ledger_of(bench).read_bytes()

    class Silent(Bench):
        @property
        def env(self) -> dict[str, str]:
            return {**super().env, "SIGNOFF_TELEMETRY": "off"}

    silent = Silent(bench.root, bench.home)
    assert played(silent, cassette()).code == 0
    assert len(records(silent)) == 3
    assert silent("agents", "rebuild").code == 2
    assert bench("agents", "rebuild", "--json").document == {"appended": 0, "runs": 2, "skipped": []}
    assert ledger_of(bench).read_bytes() == whole


def test_pruning_is_asked_for_and_what_is_pruned_stays_away(bench: Bench) -> None:
    made = cassette()
    made["entries"][1]["answer"] = {"kind": "blocked", "reason": "no"}
    assert played(bench, made).code == 3
    (record,) = records(bench, "--failed")
    assert (record["status"], record["failure_reason"]) == ("blocked", "precondition-unmet")
    assert (bench.root / record["log_file"]).exists()

    pruned = bench("agents", "prune", "--before", "2026-01-02", "--json")

    assert (pruned.code, pruned.document["pruned"]) == (0, 3)
    assert not (bench.root / record["log_file"]).exists()
    assert records(bench) == []
    bench("runs", "resume", "latest")
    assert records(bench) == []


@pytest.mark.parametrize(
    "words",
    [
        ("prune",),
        ("prune", "--before", "yesterday"),
        ("prune", "--before", "2026-02-30"),
        ("prune", "--before", "2026-01-01", "--failed"),
        ("--before", "2026-01-01"),
        ("--last", "0"),
        ("--last", "many"),
        ("rebuild", "--task", "T1"),
        ("burn",),
    ],
)
def test_wrong_words_change_nothing(delivered: Bench, words: tuple[str, ...]) -> None:
    before = ledger_of(delivered).read_bytes()

    assert delivered("agents", *words).code == 2
    assert ledger_of(delivered).read_bytes() == before
