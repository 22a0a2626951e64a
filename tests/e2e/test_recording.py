"""A live run as a cassette: whatever happened in it, a replay goes the same way and ends in the same tree."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from clibench import Bench, Ran, contract, task
from standin import Desk
from test_live import only_run, patiently, script, start, with_agent

BINARY = "import pathlib; pathlib.Path('blob.bin').write_bytes(bytes(range(256)) * 4)"
LATIN = "import pathlib; pathlib.Path('latin.txt').write_bytes('caf\\xe9\\n'.encode('latin-1'))"
SECRET = "sk-ant-" + "q7Zx" * 8
VALUE = "correct-horse-battery"


def pinned(bench: Bench, name: str = "pack") -> Ran:
    return bench("runs", "pin", "latest", bench.root.parent / name, "--json")


def busy_plan() -> dict[str, Any]:
    first, second = task("T1", "hello"), task("T2", "bye")
    first |= {
        "files_create": ["hello.txt", "blob.bin", "latin.txt", "tool.sh", "new.txt"],
        "files_delete": ["old.txt"],
    }
    return {"kind": "plan", "contract": contract(tasks=[first, second])}


def busy_script(*, leak: str) -> dict[str, Any]:
    """A crash, nonsense, a question with half the work done, and changes of every kind."""
    made = script()
    plan, first, second = made["entries"]
    plan["answer"] = busy_plan()
    key = first["key"].removesuffix("1")
    moves = [[sys.executable, "-c", BINARY], [sys.executable, "-c", LATIN], ["mv", "old.txt", "new.txt"]]
    turns = [
        {**first, "exit_code": 7},
        {**first, "garbage": "I am done!", "key": f"{key}2"},
        {
            "key": f"{key}3",
            "answer": {"kind": "question", "question": f"Is {leak} right?", "options": ["yes", "no"]},
            "files": {"tool.sh": f"#!/bin/sh\n# {leak}\n"},
            "run": [["chmod", "+x", "tool.sh"]],
        },
        {**first, "key": f"{key}4", "run": moves, "answer": {"kind": "done", "summary": f"used {leak}"}},
    ]
    return {**made, "entries": [plan, *turns, second]}


def busy_run(bench: Bench, leak: str) -> Ran:
    bench.commit(old_dot_txt="to be renamed\n" * 20)
    path = bench.root.parent / "script.json"
    path.write_text(json.dumps(busy_script(leak=leak)))
    agent = [sys.executable, "-m", "signoff.testing.scripted_agent", str(path)]
    settings = f'[agent]\nname = "command"\nenv = ["MY_TOKEN"]\ncommand = {json.dumps(agent)}\n'
    bench.commit(signoff_dot_toml=settings)
    asked = bench("run", bench.ticket(), "--yes", "--record")
    assert asked.code == 3, asked.err
    return bench("answer", "latest", f"yes, and not {leak}", "--resume")


class Armed(Bench):
    """A bench whose environment holds a credential."""

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "MY_TOKEN": VALUE}


def test_failures_questions_and_changes_of_every_kind_are_played_again(bench: Bench) -> None:
    """A replay that leaves out what failed would answer other keys, and prove nothing about retries."""
    ended = busy_run(bench, leak="it")
    assert ended.code == 0, ended.err

    found = pinned(bench)

    assert (found.code, found.document["notes"]) == (0, []), found.out
    tape = json.loads((bench.root.parent / "pack" / "cassette.json").read_text())
    kinds = {entry["key"]: entry.get("failed", {}).get("failure") for entry in tape["entries"]}
    assert kinds["implement/T1/attempt-1/dispatch-1"] == "crashed"
    assert kinds["implement/T1/attempt-1/dispatch-2"] == "malformed-answer"
    patches = "".join(entry.get("patch", "") for entry in tape["entries"])
    assert "GIT binary patch" in patches
    assert "new file mode 100755" in patches
    assert "deleted file mode" in patches


def test_no_credential_is_left_in_a_cassette_or_a_pack(bench: Bench) -> None:
    """Cassettes are sent to colleagues and committed as tests."""
    armed = Armed(bench.root, bench.home)
    ended = busy_run(armed, leak=f"{SECRET} {VALUE}")
    (cassette,) = (bench.root / ".signoff" / "cassettes").glob("*.json")

    found = pinned(armed)

    assert found.code == 0, found.out
    assert "taken out of tool.sh" in ended.err
    assert "taken out of tool.sh" in found.document["notes"][0]
    for path in (cassette, *(bench.root.parent / "pack").iterdir()):
        assert SECRET.encode() not in path.read_bytes(), path
        assert VALUE.encode() not in path.read_bytes(), path


def test_what_the_real_backend_met_is_played_without_it(bench: Bench) -> None:
    desk = Desk(bench)
    desk.moods("limit", "work", "mute")
    ended = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--record", "--json")
    assert ended.code == 0, ended.err
    (desk.bin / "claude").unlink()
    clone = bench.root.parent / "clone"
    desk.git("clone", "-q", ".", str(clone))

    replayed = desk(
        "run", desk.ticket(), "--cassette", ended.document["cassette"], "--yes", "--json", cwd=clone
    )

    assert replayed.code == 0, replayed.err
    assert replayed.document["verdict"] == ended.document["verdict"]
    assert pinned(desk).code == 0


def test_an_interrupted_dispatch_is_played_as_one(bench: Bench) -> None:
    with_agent(bench, patiently(script(T1={"hang": True})))
    driver = start(bench)
    deadline = time.monotonic() + 60
    while not list((bench.root / ".signoff").glob("checkouts/*/implement/T1/*/*/hello.txt")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    driver.kill()
    driver.communicate(timeout=60)
    assert bench("runs", "resume", "latest").code == 0

    found = pinned(bench)

    assert found.code == 0, found.out
    tape = json.loads((bench.root.parent / "pack" / "cassette.json").read_text())
    cut = [entry["key"] for entry in tape["entries"] if entry.get("interrupted")]
    assert "implement/T1/attempt-1/dispatch-1" in cut
    assert only_run(bench).name == found.document["run_id"]


def test_a_pack_names_what_differs_what_was_changed_and_what_is_missing(bench: Bench) -> None:
    pack = Path(bench.root.parent / "pack")
    with_agent(bench, script())
    assert bench("run", bench.ticket(), "--yes").code == 0
    assert pinned(bench).code == 0
    assert bench("golden", "replay", pack).code == 0
    assert bench("golden", "verify", pack).code == 0
    assert bench("runs", "pin", "latest", pack).code == 2

    tape = pack / "cassette.json"
    played = tape.read_text()
    tape.write_text(json.dumps({**json.loads(played), "started_at": "9999-12-31T23:59:59.999Z"}))
    late = bench("golden", "replay", pack)
    assert (late.code, "started_at" in late.err) == (2, True)
    tape.write_text(played)

    expected = pack / "expected.json"
    expected.write_text(expected.read_text().replace('"signed-off"', '"refused"'))
    replayed = bench("golden", "replay", pack, "--json")

    assert replayed.code == 1
    assert replayed.document["scenarios"][0]["differences"][0]["pointer"] == "/outcome"
    assert bench("golden", "verify", pack).code == 1
    (pack / "base.bundle").write_bytes(b"nothing")
    assert bench("golden", "replay", pack).code == 2
    (pack / "base.bundle").unlink()
    assert bench("golden", "replay", pack).code == 2


def test_a_replay_falls_back_as_the_run_did(bench: Bench) -> None:
    """A chain that names the first agent too passes over it; played as `recorded`, it must do so again."""
    desk = Desk(bench)
    desk.moods("work", "auth", "auth", "auth", "auth")
    desk.commit(
        signoff_dot_toml='[agent]\nname = "claude"\nenv = ["ANTHROPIC_API_KEY"]\n'
        'command = ["false"]\n\n[agent.fallback]\nauth = ["claude", "command"]\n'
    )
    assert desk("run", desk.ticket(), "--yes").code in (1, 3, 5)

    found = pinned(desk)

    assert found.code == 0, found.out
    tape = json.loads((bench.root.parent / "pack" / "cassette.json").read_text())
    assert tape["agents"] == {"": "claude"}
