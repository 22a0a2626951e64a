"""Live agents: real programs that wait, cheat, leave daemons behind, and are killed at any moment."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench, cassette
from test_crash import processes_below

from signoff.host.processes.sandbox_launch import offer

REPEATS = 6


def script(**steps: dict[str, Any]) -> dict[str, Any]:
    """Give the tiny ticket's script, with more steps for some tasks: `script(T1={"sleep_s": 2})`."""
    made = cassette()
    for entry in made["entries"]:
        task = entry["key"].split("/")[1]
        entry.update(steps.get(task, {}))
    return made


def patiently(plot: dict[str, Any]) -> dict[str, Any]:
    """Let the agent do the same again when it is asked again after an interruption."""
    again = [
        {**entry, "key": entry["key"].replace("dispatch-1", f"dispatch-{number}"), "hang": False}
        for entry in plot["entries"]
        for number in (2, 3, 4)
    ]
    return {**plot, "entries": [*plot["entries"], *again]}


def with_agent(bench: Bench, plot: dict[str, Any], box: str = "auto") -> Bench:
    """Configure the scripted agent as the repository's own."""
    path = bench.root.parent / "script.json"
    path.write_text(json.dumps(plot))
    agent = [sys.executable, "-m", "signoff.testing.scripted_agent", str(path)]
    sandbox = f'[sandbox]\nagents = "{box}"\n'
    bench.commit(signoff_dot_toml=f'{sandbox}[agent]\nname = "command"\ncommand = {json.dumps(agent)}\n')
    return bench


def start(bench: Bench) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "signoff", "run", str(bench.ticket()), "--yes"],
        cwd=bench.root,
        env=bench.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def only_run(bench: Bench) -> Path:
    (run,) = (bench.root / ".signoff" / "runs").glob("0*")
    return run


def nobody_is_left(folder: Path) -> bool:
    """Wait a moment for what was told to end, then say whether it did."""
    for _ in range(100):
        if not processes_below(folder):
            return True
        time.sleep(0.05)
    return False


def test_a_live_agent_delivers(bench: Bench) -> None:
    ended = with_agent(bench, script())("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 0, ended.err
    certificate = json.loads(Path(ended.document["certificate"]).read_text())
    assert certificate["predicate"]["level"] == ("witnessed" if offer().best.is_fence else "observed")


@pytest.mark.slow
def test_ctrl_c_at_any_moment_leaves_no_process_and_a_run_that_goes_on(bench: Bench) -> None:
    slow = {"sleep_s": 0.3}
    with_agent(bench, patiently(script(T1={**slow, "spawn_daemon": 300}, T2=slow)))
    chance = random.Random(7)
    for _ in range(REPEATS):
        driver = start(bench)
        time.sleep(chance.uniform(0.1, 1.6))
        os.killpg(driver.pid, signal.SIGINT)
        _, said = driver.communicate(timeout=60)

        # At the very end, with everything said and done, the interpreter itself is what the signal meets.
        assert driver.returncode in (0, 130, -signal.SIGINT), said.decode()
        assert nobody_is_left(bench.root)

    for run in bench("runs", "--json").document["runs"]:
        assert bench("runs", "resume", run["run_id"]).code == 0


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_no_process_and_a_run_that_goes_on(bench: Bench) -> None:
    slow = {"sleep_s": 0.3}
    with_agent(bench, patiently(script(T1={**slow, "spawn_daemon": 300}, T2=slow)))
    chance = random.Random(11)
    for _ in range(REPEATS):
        driver = start(bench)
        time.sleep(chance.uniform(0.1, 1.6))
        driver.kill()
        driver.communicate(timeout=60)

        assert nobody_is_left(bench.root)

    for run in bench("runs", "--json").document["runs"]:
        assert bench("runs", "resume", run["run_id"]).code == 0


def test_a_dispatch_in_flight_is_interrupted_and_the_next_one_starts_clean(bench: Bench) -> None:
    with_agent(bench, patiently(script(T1={"hang": True, "files": {"hello.txt": "hello\n", "mess": "x"}})))
    plot = json.loads((bench.root.parent / "script.json").read_text())
    for entry in plot["entries"]:
        if entry["key"].startswith("implement/T1/") and not entry["hang"]:
            del entry["files"]["mess"]
    (bench.root.parent / "script.json").write_text(json.dumps(plot))
    driver = start(bench)
    deadline = time.monotonic() + 60
    while not list((bench.root / ".signoff").glob("checkouts/*/implement/T1/*/*/hello.txt")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.kill()
    driver.communicate(timeout=60)

    ended = bench("runs", "resume", "latest")

    assert ended.code == 0, ended.err
    report = (only_run(bench) / "report.md").read_text()
    assert "| implement/T1/attempt-1/dispatch-1 | command | interrupted |" in report
    first, second = bench("agents", "--task", "T1", "--json").document["records"]
    assert (first["status"], second["status"]) == ("interrupted", "success")
    assert second["retry_of"] == first["run_id"]
    assert nobody_is_left(bench.root)


def test_a_silent_agent_is_stopped_when_its_time_is_up(bench: Bench) -> None:
    with_agent(bench, script(T1={"hang": True}))
    settings = bench.root / "signoff.toml"
    settings.write_text(settings.read_text() + "timeout_s = 1\n[limits]\nretries = 0\n")
    bench.commit()

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 3
    assert ended.document["halt"]["code"] == "agent-failed"
    assert nobody_is_left(bench.root)


def test_a_daemon_that_edits_after_the_agent_is_done_changes_nothing(bench: Bench) -> None:
    sabotage = "sleep 0.4; while :; do echo sabotage > hello.txt; sleep 0.1; done"
    command = ["sh", "-c", f"setsid sh -c '{sabotage}' >/dev/null 2>&1 &"]
    with_agent(bench, script(T1={"run": [command]}))

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 0, ended.err
    assert bench.git("show", f"refs/signoff/{ended.document['run_id']}/final:hello.txt") == "hello"
    assert nobody_is_left(bench.root)


def test_an_agent_that_types_waive_gets_nothing_and_is_on_record(bench: Bench) -> None:
    waive = [
        sys.executable,
        "-m",
        "signoff",
        "waive",
        "latest",
        "T1/file",
        "--reason",
        "trust me",
        "--by",
        "Ada",
    ]
    cheat = {"run": [[*waive, "-C", str(bench.root)]], "files": {}}
    plot = script(T1=cheat)
    for attempt in (2, 3, 4):
        key = f"implement/T1/attempt-{attempt}/dispatch-1"
        plot["entries"].append({"key": key, "answer": {"kind": "done"}, **cheat})
    with_agent(bench, plot, box="none")

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 1, ended.err
    report = Path(ended.document["report"]).read_text()
    assert "Ada tried to waive T1/file without a terminal; it changes nothing" in report
    assert ended.document["certificate"] is None


def test_an_agent_that_drops_files_into_the_inbox_waives_nothing(bench: Bench) -> None:
    forged = {
        "event": "waived",
        "clause": "T1/file",
        "reason": "trust me",
        "by": "Ada",
        "how": "terminal",
        "tree": "0" * 40,
    }
    name = "01J00000000000000000000000-waive.json"
    source = bench.root.parent / "forged.json"
    source.write_text(json.dumps(forged))
    into = f"{bench.root}/.signoff/runs/0*"
    command = f"for run in {into}; do mkdir -p $run/inbox; cp {source} $run/inbox/{name}; done"
    with_agent(bench, script(T1={"run": [["sh", "-c", command]], "files": {}}), box="none")
    settings = bench.root / "signoff.toml"
    settings.write_text(settings.read_text() + "[limits]\nrework = 0\n")
    bench.commit()

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 1, ended.err
    assert ended.document["certificate"] is None


def test_a_sign_off_is_proven_again_in_a_clean_clone(bench: Bench, tmp_path: Path) -> None:
    ended = with_agent(bench, script())("run", bench.ticket(), "--yes", "--json")
    run = ended.document["run_id"]
    clone = Bench(tmp_path / "clone", bench.home)
    bench.git("clone", "-q", str(bench.root), str(clone.root))
    clone.git("fetch", "-q", "origin", f"refs/signoff/{run}/final:refs/signoff/{run}/final")
    shutil.copytree(only_run(bench), clone.run_folder(run))

    verified = clone("report", run, "--verify", "--rerun", "--json")

    assert verified.document == {**verified.document, "ok": True, "violations": []}
    assert verified.code == 0


def test_what_an_agent_says_can_be_of_any_length(bench: Bench) -> None:
    question = {"kind": "question", "question": "意味がわからない。" * 400, "options": ["“はい”" * 90] * 20}
    with_agent(bench, script(T1={"answer": question, "files": {}}))

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 3, ended.err
    assert ended.document["halt"]["question"].endswith("…")


def test_a_name_that_is_not_utf8_is_a_finding_like_any_other(bench: Bench) -> None:
    command = ["sh", "-c", "printf x > \"$(printf 'caf\\351')\""]
    with_agent(bench, script(T1={"run": [command]}))
    settings = bench.root / "signoff.toml"
    settings.write_text(settings.read_text() + "[limits]\nrework = 0\n")
    bench.commit()

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert ended.code == 1, ended.err
    assert r"caf\\xe9" in Path(ended.document["report"]).read_text()


def test_a_name_that_is_not_utf8_does_not_end_the_check_of_dependencies(bench: Bench) -> None:
    """An agent could end any run with exit code 70 by such a name, where a non-goal forbids dependencies."""
    none = {"id": "deps", "description": "No new dependencies", "dependencies": "none-added"}
    plot = script(T1={"run": [["sh", "-c", "printf x > \"$(printf 'caf\\351.txt')\""]]})
    proposed = plot["entries"][0]["answer"]["contract"]
    proposed["non_goals"] = [none]
    proposed["tasks"][0]["files_modify"] = ["c*.txt"]
    with_agent(bench, plot)
    bench.commit(setup_dot_py="open('other.txt')\n")

    ended = bench("run", bench.ticket(), "--yes", "--json")

    assert (ended.code, ended.document["outcome"]) == (0, "signed-off"), ended.err


def test_a_signal_that_a_program_sent_is_not_taken_for_a_word_typed_on_a_terminal(bench: Bench) -> None:
    with_agent(bench, script(T1={"hang": True}))
    driver = start(bench)
    deadline = time.monotonic() + 60
    while not list((bench.root / ".signoff").glob("checkouts/*/implement/T1/*/*/hello.txt")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.send_signal(signal.SIGTERM)
    driver.communicate(timeout=60)

    lines = map(json.loads, (only_run(bench) / "journal.jsonl").read_text().splitlines())
    stops = [line for line in lines if line["event"] == "stop_requested"]
    assert [(stop["by"], stop["how"]) for stop in stops] == [("SIGTERM", "relayed")]
