"""Checks in their boxes: what a check may touch, what its receipt says, and what cannot be judged."""

import os
import sys
from pathlib import Path

import pytest
from checkbench import EXECUTION_ERROR, FAIL, PARTIAL, PASS, Bench, WatchedDoor
from msgspec.structs import replace

from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer
from signoff.domain.work.checks import CommandExit, FileExists, RunGate, RunTests
from signoff.domain.work.settings import SandboxSettings
from signoff.host.processes import sandbox_launch

OFFER = sandbox_launch.offer()


def needs(level: Level) -> pytest.MarkDecorator:
    why = OFFER.refused.get(level, "")
    return pytest.mark.skipif(level not in OFFER.levels, reason=f"no {level} on this machine: {why}")


fenced = pytest.mark.parametrize(
    "choice",
    [
        pytest.param(SandboxChoice.LANDLOCK, marks=needs(Level.LANDLOCK)),
        pytest.param(SandboxChoice.BWRAP, marks=needs(Level.BWRAP)),
    ],
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.sandbox = SandboxSettings()
    return made


def python(code: str) -> CommandExit:
    return CommandExit(command="python", args=("-c", code), expected_exit=0)


def watched(bench: Bench) -> list[ProcessRequest]:
    def passing(request: ProcessRequest, outcome: ProcessOutcome) -> ProcessOutcome:
        return outcome

    door = WatchedDoor(bench.door, passing)
    bench.door = door
    return door.requests


@fenced
def test_a_check_that_writes_outside_its_tree_fails_and_the_file_is_not_there(
    bench: Bench, choice: SandboxChoice
) -> None:
    bench.sandbox = SandboxSettings(checks=choice)

    receipt = bench.run(bench.order(python("open('../outside', 'w')"))).receipt

    assert receipt.observation.result is FAIL
    assert receipt.sandbox is Level(choice)
    assert not bench.folder.with_name("outside").exists()


@fenced
def test_a_check_cannot_write_the_slip_of_another(bench: Bench, choice: SandboxChoice) -> None:
    """A slip is adopted after a crash as what the engine saw: a check that writes one passes another."""
    bench.sandbox = SandboxSettings(checks=choice)
    slip = str(Path(bench.logs).with_name("check-2.slip"))

    receipt = bench.run(bench.order(python(f"open({slip!r}, 'w')"))).receipt

    assert receipt.observation.result is FAIL
    assert not Path(slip).exists()


def test_the_best_level_there_is_is_used_unless_told_otherwise(bench: Bench) -> None:
    receipt = bench.run(bench.order(python("open('inside', 'w')"))).receipt

    assert receipt.observation.result is PASS
    assert receipt.sandbox is OFFER.best


def test_a_recovered_receipt_says_what_held_then(bench: Bench) -> None:
    order = bench.order(python("pass"))
    seen = bench.run(order)
    changed = replace(order, sandbox=SandboxSettings(checks=SandboxChoice.NONE))

    recovered = bench.runner().recover(changed)

    assert recovered == seen
    assert recovered is not None
    assert recovered.receipt.sandbox is OFFER.best


def test_a_check_without_a_program_has_no_box(bench: Bench) -> None:
    assert bench.run(bench.order(FileExists(path="a"))).receipt.sandbox is Level.NONE


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (SandboxSettings(checks=SandboxChoice.BWRAP), "bwrap is not available here"),
        (SandboxSettings(minimum=Level.LANDLOCK), "at least landlock is demanded"),
        (SandboxSettings(network_for_checks=False), "close the network"),
    ],
)
@pytest.mark.parametrize("check", [python("open('../ran', 'w')"), RunGate(argv=("touch", "../ran"))])
def test_a_check_whose_box_cannot_be_had_is_not_run_and_not_judged(
    bench: Bench,
    check: CommandExit | RunGate,
    settings: SandboxSettings,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox_launch, "offer", lambda: SandboxOffer(levels=(Level.NONE, Level.LIMITS)))
    bench.sandbox = settings

    receipt = bench.run(bench.order(check)).receipt

    assert (receipt.observation.result, receipt.observation.failure_reason) == (PARTIAL, EXECUTION_ERROR)
    assert said in receipt.observation.detail
    assert receipt.sandbox is Level.NONE
    assert not bench.folder.with_name("ran").exists()


@fenced
def test_the_network_is_closed_where_the_settings_say_so(bench: Bench, choice: SandboxChoice) -> None:
    if Level(choice) not in OFFER.offline:
        pytest.skip(f"{choice} cannot close the network on this machine")
    call = "import socket; s = socket.socket(); s.settimeout(5); s.connect(('192.0.2.1', 9))"
    bench.sandbox = SandboxSettings(checks=choice, network_for_checks=False)

    receipt = bench.run(bench.order(python(call))).receipt

    assert receipt.observation.result is FAIL
    said = Path(bench.logs + ".err").read_text()
    assert "Permission denied" in said or "unreachable" in said


@pytest.mark.parametrize("choice", [SandboxChoice.NONE, SandboxChoice.LIMITS, SandboxChoice.AUTO])
def test_a_test_run_leaves_its_report_at_every_level(bench: Bench, choice: SandboxChoice) -> None:
    bench.sandbox = SandboxSettings(checks=choice)
    bench.write("tests/test_a.py", "def test_tmp(tmp_path): (tmp_path / 'x').write_text('x')\n")
    order = bench.order(RunTests(), test_command=("python", "-m", "pytest"))

    seen = bench.run(order)

    assert seen.receipt.observation.result is PASS, Path(bench.logs + ".err").read_text()
    assert seen.report is not None
    assert bench.runner().recover(order) == seen
    assert not Path(bench.logs + ".drop").exists()


def test_a_report_that_is_a_link_is_no_report(bench: Bench) -> None:
    """It would show what lies elsewhere, such as the report of another run."""
    elsewhere = bench.folder.with_name("elsewhere.xml")
    elsewhere.write_text('<testsuite><testcase classname="a" name="b"/></testsuite>')
    bench.write(
        "pytest.py",
        "import os, sys\n"
        "(report,) = (word for word in sys.argv if word.startswith('--junitxml='))\n"
        f"os.symlink({str(elsewhere)!r}, report.partition('=')[2])\n",
    )

    seen = bench.run(bench.order(RunTests(), test_command=("python", "-m", "pytest")))

    assert seen.receipt.observation.result is PARTIAL
    assert seen.receipt.observation.exit_code == 0
    assert seen.report is None


def test_a_check_in_the_persons_own_folder_leaves_the_repository_alone(bench: Bench) -> None:
    requests = watched(bench)

    bench.run(replace(bench.order(python("pass")), in_place=True))
    bench.run(bench.order(python("pass")))

    in_place, materialised = (request.sandbox for request in requests)
    assert in_place is not None
    assert materialised is not None
    assert [os.path.basename(path) for path in in_place.sealed] == [".git", ".signoff"]
    assert materialised.sealed == ()


def test_the_projects_interpreter_is_found_in_the_box(bench: Bench) -> None:
    receipt = bench.run(bench.order(python("import sys; print(sys.executable)"))).receipt

    assert receipt.observation.result is PASS
    assert Path(bench.logs + ".out").read_text().strip() == sys.executable
