"""Further checks and an evaluator in a whole delivery, with agents that are wrong, lazy or inventive."""

import json
import sys
from pathlib import Path
from typing import Any

from clibench import Bench, Ran, cassette, contract, plan

EVALUATE = "[evaluate]\nagent = true\n"
FIRST = "verify/round-1/evaluate/dispatch-1"


def evaluation(*findings: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "evaluation", "findings": list(findings)}


def finding(**changes: object) -> dict[str, Any]:
    cited = {"clause": "greets", "path": "hello.txt", "line": 1, "snippet": "hello", "message": "too short"}
    return {**cited, **changes}


def play(bench: Bench, *more: dict[str, Any], settings: str = EVALUATE, **first: object) -> Ran:
    """Play the tiny ticket with more entries; `first` changes what T1 does at its first attempt."""
    bench.commit(signoff_dot_toml=settings)
    made = cassette()
    made["entries"][1].update(first)
    path = bench.root.parent / "cassette.json"
    path.write_text(json.dumps({**made, "entries": [*made["entries"], *more]}))
    return bench("run", bench.ticket(), "--cassette", path, "--yes", "--json")


def report(ran: Ran) -> str:
    return Path(ran.document["report"]).read_text()


def test_a_finding_that_stands_sends_the_task_back_and_what_an_evaluator_writes_is_lost(bench: Bench) -> None:
    """Otherwise nobody would see what the checks do not, or the one who looks would change the result."""
    first = {
        "key": FIRST,
        "answer": evaluation(finding()),
        "files": {"hello.txt": "mine", "junk.txt": "mine"},
    }
    second = {"key": "verify/round-2/evaluate/dispatch-1", "answer": evaluation()}
    again = {
        "key": "implement/T1/attempt-2/dispatch-1",
        "answer": {"kind": "done"},
        "files": {"hello.txt": "hello, and welcome\n"},
    }
    ran = play(bench, first, again, second)

    assert ran.code == 0, ran.err
    final = f"refs/signoff/{ran.document['run_id']}/final"
    assert bench.git("show", f"{final}:hello.txt") == "hello, and welcome"
    assert "junk.txt" not in bench.git("ls-tree", "--name-only", final)
    assert "an evaluator looked" in report(ran)
    assert bench("runs", "replay", ran.document["run_id"]).code == 0
    assert bench("report", ran.document["run_id"], "--verify", "--rerun").code == 0


def test_an_evaluator_that_invents_lines_changes_nothing(bench: Bench) -> None:
    invented = (finding(line=7), finding(snippet="goodbye"), finding(path="../ticket.md"))
    ran = play(bench, {"key": FIRST, "answer": evaluation(*invented)})

    assert ran.code == 0, ran.err
    assert "3 cited what is not there and changed nothing" in report(ran)


def test_an_evaluator_that_is_content_with_red_code_changes_nothing(bench: Bench) -> None:
    """No answer of an agent carries a verdict."""
    praise = [{"key": f"verify/round-{n}/evaluate/dispatch-1", "answer": evaluation()} for n in (1, 2, 3, 4)]
    lazy = [
        {
            "key": f"implement/T1/attempt-{n}/dispatch-1",
            "answer": {"kind": "done"},
            "files": {"hello.txt": "x"},
        }
        for n in (2, 3, 4)
    ]
    ran = play(bench, *praise, *lazy, files={"hello.txt": "x"})

    assert ran.code == 1
    said = report(ran)
    assert "| T1/file |" in said
    assert "✗ failed" in said
    assert "attempt-3" not in said, "the same files were handed in twice; nobody pays for a third time"


def test_where_an_evaluator_is_demanded_its_silence_is_no_approval(bench: Bench) -> None:
    ran = play(bench, settings="[evaluate]\nrequired = true\n")

    assert ran.code == 5
    assert "nobody evaluated" in report(ran)


HOLDS = "import pathlib, sys; print('looking'); sys.exit('no full stop' if {} else 0)"
STOP = "any(not p.read_text().endswith('.\\n') for p in pathlib.Path().glob('*.txt'))"
EXTRA = f"""\
[[checks.extra]]
name = "full-stop"
command = {json.dumps(["python", "-c", HOLDS.format(STOP)])}
"""


def test_a_further_check_is_part_of_the_bar_and_its_last_words_reach_the_agent(bench: Bench) -> None:
    """An agent that is told `exit code 1` alone has to guess what was wrong."""
    bench.commit(Makefile="typecheck:\n\tfalse\n")
    made = cassette()
    entries = {entry["key"]: entry for entry in made["entries"]}
    for task, word in (("T1", "hello"), ("T2", "bye")):
        entries[f"implement/{task}/attempt-1/dispatch-1"]["files"] = {f"{word}.txt": f"{word}.\n"}
    # T2 forgets it at first; the last task is sent back for what holds for all.
    entries["implement/T2/attempt-1/dispatch-1"]["files"] = {"bye.txt": "bye\n"}
    again = {
        "key": "implement/T2/attempt-2/dispatch-1",
        "answer": {"kind": "done"},
        "files": {"bye.txt": "bye.\n"},
    }
    script, told = bench.root.parent / "script.json", bench.root.parent / "told"
    script.write_text(json.dumps({**made, "entries": [*entries.values(), again]}))
    agent = bench.root.parent / "agent.py"
    agent.write_text(
        "import pathlib, subprocess, sys\n"
        "said = sys.stdin.buffer.read()\n"
        f"pathlib.Path({str(told)!r}).write_bytes(said)\n"
        f"words = [sys.executable, '-m', 'signoff.testing.scripted_agent', {str(script)!r}]\n"
        "sys.exit(subprocess.run(words, input=said).returncode)\n"
    )
    command = json.dumps([sys.executable, str(agent)])
    sandbox = '[sandbox]\nagents = "none"\n'
    bench.commit(signoff_dot_toml=f'[agent]\nname = "command"\ncommand = {command}\n{sandbox}{EXTRA}')
    ran = bench("run", bench.ticket(), "--yes", "--json")

    assert ran.code == 0, ran.err + report(ran)
    directive = json.loads(told.read_text())
    (failure,) = directive["payload"]["failures"]
    assert directive["key"] == "implement/T2/attempt-2/dispatch-1"
    assert (failure["clause"], failure["exit_code"]) == ("gate/full-stop", 1)
    assert failure["command"][1] == "-c"
    assert "looking" in failure["output"]
    assert "no full stop" in failure["output"]
    assert "gate/typecheck was left out: it does not pass on the base" in report(ran)


JUNIT = "<testsuite>{}</testsuite>"
CASE = "<testcase classname='pages' name='{}'/>"
WRITES = (
    "import pathlib; names = next(pathlib.Path().glob('pa*s.txt')).read_text().split(); "
    f"pathlib.Path('r.xml').write_text({JUNIT!r}.format(''.join({CASE!r}.format(n) for n in names)))"
)


def test_a_further_check_that_runs_fewer_tests_than_on_the_base_fails(bench: Bench) -> None:
    """Its exit code is 0 all the same."""
    bench.commit(pages_dot_txt="start basket\n")
    command = json.dumps(["python", "-c", WRITES])
    extra = f"[[checks.extra]]\nname = 'pages'\nreport = 'r.xml'\ncommand = {command}\n"
    fewer = [{"type": "file-exists", "id": "T1/file", "path": "hello.txt", "must_contain": "hello"}]
    task = {"id": "T1", "title": "Say hello", "wave": 1, "action": "Write it", "verification": fewer}
    planned = plan(tasks=[{**task, "files_create": ["hello.txt"], "files_modify": ["pages.txt"]}])
    planned["contract"].update(success_criteria=contract()["success_criteria"][:1])
    planned["contract"]["stop_conditions"][0]["proven_by"] = ["T1/file"]
    files = {"hello.txt": "hello\n", "pages.txt": "start\n"}
    keys = [f"implement/T1/attempt-{n}/dispatch-1" for n in (1, 2)]
    entries = [{"key": key, "answer": {"kind": "done"}, "files": files} for key in keys]
    bench.commit(signoff_dot_toml=extra)
    path = bench.root.parent / "cassette.json"
    first = {"key": "plan/attempt-1/dispatch-1", "answer": planned}
    path.write_text(json.dumps({"version": 1, "name": "fewer", "entries": [first, *entries]}))
    ran = bench("run", bench.ticket(), "--cassette", path, "--yes", "--json")

    assert ran.code == 1, ran.err
    rows = {row["clause"]: row for row in ran.document["verdict"]["clauses"]}
    assert rows["gate/pages"]["standing"] == "failed"
    assert "pages::basket" in rows["gate/pages"]["why"]
