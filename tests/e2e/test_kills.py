"""Three tasks by real agents, the driver killed with signal 9 wherever it can be, resumed each time.

Two tasks stand in the first wave, one in the second. The agent is a program of its own that reports what
it used; checks, a build and a lint command are programs too.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from clibench import Bench, contract, empty_bench, task
from newcomer import newcomer_python
from test_crash import DRIVER, done_again, processes_below, programs

from signoff.storage.runs import safe_name

MOST_DRIVERS = 400
TASKS = {"T1": ("hello", 1), "T2": ("bye", 1), "T3": ("again", 2)}
USAGE = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}
WHERE = ("append", "before", "after", "during")


class Ended(NamedTuple):
    """A run that came to its end, over however many drivers."""

    bench: Bench
    folder: Path
    trace: list[str]
    took_s: float

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "journal.jsonl").read_bytes().splitlines()]

    @property
    def done(self) -> list[tuple[str, dict[str, Any]]]:
        return [(r["key"], r["outcome"]) for r in self.records if r["event"] == "done"]

    @property
    def verdict(self) -> Any:
        """The standing of every clause, and the files signed off. The settings name this folder."""
        found = json.loads((self.folder / "verification.json").read_bytes())
        listed = self.bench.git("ls-tree", "-r", found["trees"]["final"]).splitlines()
        files = [line for line in listed if not line.endswith("signoff.toml")]
        return found["outcome"], files, [(c["clause"], c["standing"]) for c in found["clauses"]]

    @property
    def killed(self) -> int:
        return sum(line.startswith("died ") for line in self.trace)


def script(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the agent's script. An interrupted dispatch is followed by one of the next number."""
    entries = []
    for number in range(1, 60):
        answer = {"kind": "plan", "contract": plan, "usage": USAGE}
        entries.append({"key": f"plan/attempt-1/dispatch-{number}", "answer": answer})
        for name, (word, _) in TASKS.items():
            entries.append(
                {
                    "key": f"implement/{name}/attempt-1/dispatch-{number}",
                    "answer": {"kind": "done", "usage": USAGE},
                    "files": {f"{word}.txt": f"{word}\n"},
                }
            )
    return {"version": 1, "name": "three tasks", "entries": entries}


def three_tasks() -> dict[str, Any]:
    tasks = []
    for name, (word, wave) in TASKS.items():
        made = task(name, word)
        made["wave"] = wave
        made["depends_on"] = ["T1", "T2"] if wave == 2 else []
        made["verification"] += [
            _program(f"{name}/run", "grep", "-q", word, f"{word}.txt"),
            _program(f"{name}/size", "test", "-s", f"{word}.txt"),
        ]
        tasks.append(made)
    checks = [f"{name}/{kind}" for name in TASKS for kind in ("file", "run", "size")]
    return contract(
        tasks=tasks,
        success_criteria=[
            {"id": "all", "description": "each word stands in a file of its own", "proven_by": checks}
        ],
        stop_conditions=[
            {"id": "both", "description": "Every check of every task passes", "proven_by": checks}
        ],
    )


def _program(clause: str, command: str, *args: str) -> dict[str, Any]:
    return {"type": "command-exit", "id": clause, "command": command, "args": args, "expected_exit": 0}


def deliver(folder: Path, point: str) -> Ended:
    """Deliver with drivers that die at `point`, until one of them comes to the end."""
    bench = empty_bench(folder)
    agent = folder / "script.json"
    agent.write_text(json.dumps(script(three_tasks())))
    command = json.dumps([sys.executable, "-m", "signoff.testing.scripted_agent", str(agent)])
    bench.commit(
        README_dot_md="# Notes\n",
        signoff_dot_toml=f'[agent]\nname = "command"\ncommand = {command}\n[limits]\nretries = 50\n'
        '[checks]\nbuild = ["test", "-e", "README.md"]\nlint = ["test", "-s", "README.md"]\n',
    )
    trace = folder / "trace"
    words = ["run", str(bench.ticket()), "--yes"]
    began = time.monotonic()
    for _ in range(MOST_DRIVERS):
        done = subprocess.run(
            [newcomer_python(), str(DRIVER), point, str(trace), *words, "-C", str(bench.root)],
            env=bench.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            (run,) = (bench.root / ".signoff" / "runs").glob("0*")
            return Ended(bench, run, trace.read_text().splitlines(), time.monotonic() - began)
        words = ["runs", "resume", "latest"]
    raise AssertionError("the run never ends")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return deliver(tmp_path_factory.mktemp("undisturbed"), "never")


def hold_against(ended: Ended, undisturbed: Ended) -> None:
    """Check that nothing finished is lost, repeated or merged twice, and interrupted work is reported."""
    assert ended.verdict == undisturbed.verdict
    assert done_again(ended.trace) == []
    assert processes_below(ended.bench.root.parent) == []
    keys = [key for key, _ in ended.done]
    assert len(keys) == len(set(keys))
    assert _merges(ended) == _merges(undisturbed) == ["Merge T3", "Merge T2", "Merge T1"]
    _hold_dispatches(ended)
    replayed = ended.bench("runs", "replay", "latest", "--json")
    assert replayed.document["identical"] is True, replayed.out


def _merges(ended: Ended) -> list[str]:
    """Return what the published history merged, the latest first."""
    ref = f"refs/signoff/{ended.folder.name}/final"
    return ended.bench.git("log", "--first-parent", "--merges", "--format=%s", ref).splitlines()


def _hold_dispatches(ended: Ended) -> None:
    """Each dispatch that was begun has one outcome: an answer with its usage, or interrupted."""
    dispatches = [(key, was) for key, was in ended.done if key.rpartition("/")[2].startswith("dispatch-")]
    intended = [r["key"] for r in ended.records if r["event"] == "intended" and r["do"] == "dispatch"]
    assert sorted(intended) == sorted(key for key, _ in dispatches)
    answered = [key for key, was in dispatches if was["was"] == "answered"]
    assert len(answered) == 1 + len(TASKS)
    assert all(was["usage"]["cost_usd"] == 0.25 for _, was in dispatches if was["was"] == "answered")
    assert {was["was"] for _, was in dispatches} <= {"answered", "interrupted"}
    finished = {line for line in programs(ended.trace) if line.startswith("finished ")}
    for key, was in dispatches:
        if was["was"] == "interrupted":
            assert not any(line.endswith(f"/{safe_name(key)}.slip") for line in finished), key
    lines = (ended.bench.root / ".signoff" / "agent-runs.jsonl").read_bytes().splitlines()
    kept = {record["effect_key"]: record["status"] for record in map(json.loads, lines)}
    assert len(kept) == len(lines)
    assert {key: was["was"] == "interrupted" for key, was in dispatches} == {
        key: status == "interrupted" for key, status in kept.items()
    }
    status = ended.bench("status", "latest", "--json").document
    assert status["dispatches"] == len(dispatches)
    assert status["outcome"] == "signed-off"


@pytest.mark.slow
def test_killed_at_a_sample_of_all_points_the_run_ends_as_if_undisturbed(
    tmp_path: Path, undisturbed: Ended
) -> None:
    ended = deliver(tmp_path, "every:9")

    assert ended.killed >= 15
    hold_against(ended, undisturbed)


@pytest.mark.stress
@pytest.mark.parametrize("point", WHERE)
def test_killed_everywhere_the_run_ends_as_if_undisturbed(
    point: str, tmp_path: Path, undisturbed: Ended
) -> None:
    ended = deliver(tmp_path, point)

    print(f"\n{point}: {ended.killed} kills, {len(ended.records)} records, {ended.took_s:.0f} s")
    kinds = [was["was"] for key, was in ended.done if "/dispatch-" in key]
    print(f"  dispatches interrupted: {kinds.count('interrupted')}, answered: {kinds.count('answered')}")
    hold_against(ended, undisturbed)
