"""The scripted agent as a program: it does what its script says, also when that is to misbehave."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

import signoff
from signoff.domain.base.typed_ids import EffectKey, TaskId
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.run.directives import Directive, WorkRequest
from signoff.domain.work.contract import Task
from signoff.host.processes.process_door import HelperAnswer, ProcessDoor, ask
from signoff.testing.samples import lay_out_sample
from signoff.testing.scripted_agent import BROKEN, NO_ENTRY

KEY = "implement/T1/attempt-1/dispatch-1"
DONE = {"kind": "done", "summary": "as scripted"}
ENV = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(signoff.__file__).parents[1])}
PATCH = """\
--- a/shop/__init__.py
+++ b/shop/__init__.py
@@ -1 +1 @@
-\"\"\"A small shop.\"\"\"
+\"\"\"A large shop.\"\"\"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    place = tmp_path / "checkout"
    lay_out_sample(str(place), ENV)
    return place


def argv(checkout: Path, step: dict[str, Any]) -> tuple[str, ...]:
    script = {"version": 1, "name": "test", "entries": [{"key": KEY, "answer": DONE, **step}]}
    place = checkout.parent / "script.json"
    place.write_text(json.dumps(script))
    return (sys.executable, "-m", "signoff.testing.scripted_agent", str(place))


def directive(key: str = KEY) -> bytes:
    task = Task(id=TaskId("T1"), title="Discount codes", wave=1, verification=())
    return msgspec.json.encode(Directive(key=EffectKey(key), payload=WorkRequest(task=task, goal="Codes")))


def run(checkout: Path, **step: Any) -> HelperAnswer:
    return ask(argv(checkout, step), cwd=str(checkout), env=ENV, stdin=directive())


def supervise(checkout: Path, timeout_s: float = 30, **step: Any) -> ProcessOutcome:
    logs = str(checkout.parent / "log")
    request = ProcessRequest(
        argv=argv(checkout, step),
        cwd=str(checkout),
        env=ENV,
        timeout_s=timeout_s,
        stdout_path=logs + ".out",
        stderr_path=logs + ".err",
        slip_path=logs + ".slip",
        stdin=directive(),
        grace_s=0.3,
    )
    return ProcessDoor().run(request)


def test_it_changes_the_checkout_and_answers(checkout: Path) -> None:
    said = run(
        checkout,
        patch=PATCH,
        files={"notes/new.txt": "written\n", "README.md": None},
        run=[["sh", "-c", "cat notes/new.txt > copied.txt; exit 9"], ["git", "add", "-A"]],
    )

    assert (said.exit_code, json.loads(said.stdout)) == (0, DONE)
    assert "large" in (checkout / "shop/__init__.py").read_text()
    assert (checkout / "copied.txt").read_text() == "written\n"
    assert not (checkout / "README.md").exists()


def test_a_directive_it_has_no_entry_for_is_named(checkout: Path) -> None:
    said = ask(argv(checkout, {}), cwd=str(checkout), env=ENV, stdin=directive("plan/attempt-1/dispatch-1"))

    assert said.exit_code == NO_ENTRY
    assert b"plan/attempt-1/dispatch-1" in said.stderr


def test_a_patch_that_does_not_apply_ends_it_with_gits_words(checkout: Path) -> None:
    said = run(checkout, patch=PATCH.replace("small", "tiny"))

    assert said.exit_code == BROKEN
    assert b"patch does not apply" in said.stderr
    assert said.stdout == b""


def test_it_crashes_and_talks_nonsense_as_told(checkout: Path) -> None:
    said = run(checkout, garbage="{ not json", exit_code=5, sleep_s=0.01)

    assert (said.exit_code, said.stdout) == (5, b"{ not json\n")


def test_it_hangs_until_it_is_killed(checkout: Path) -> None:
    assert supervise(checkout, timeout_s=2, hang=True).ending is Ending.TIMED_OUT


def test_its_daemon_outlives_it_but_not_its_supervisor(checkout: Path) -> None:
    nap = 100_000.0 + os.getpid()

    alone = subprocess.run(
        argv(checkout, {"spawn_daemon": nap}),
        cwd=checkout,
        env=ENV,
        input=directive(),
        stdout=subprocess.DEVNULL,
        check=False,
        timeout=30,
    )
    left = daemons(nap)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    supervised = supervise(checkout, spawn_daemon=nap + 0.5)

    assert (alone.returncode, len(left)) == (0, 1)
    assert (supervised.ending, supervised.exit_code) == (Ending.EXITED, 0)
    assert daemons(nap + 0.5) == []


def daemons(nap: float) -> list[int]:
    found = ask(("pgrep", "-f", f"^sleep {nap}$"), cwd="/", env=ENV).stdout
    return [int(word) for word in found.split()]


def test_without_a_script_it_says_how_it_is_used() -> None:
    said = ask((sys.executable, "-m", "signoff.testing.scripted_agent"), cwd="/", env=ENV)

    assert said.exit_code == 2
    assert b"SCRIPT.json" in said.stderr
