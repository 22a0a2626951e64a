"""The runner around the checks: receipts, stopping, recovery."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from checkbench import FAIL, PARTIAL, PASS, Bench, WatchedDoor
from msgspec.structs import replace

from signoff.checks.base import one_line
from signoff.domain.base.errors import InfrastructureError
from signoff.domain.evidence.receipts import Receipt
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.ports import CheckRunner, CheckSeen
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.checks import (
    Behavioral,
    CommandExit,
    Expectation,
    FileExists,
    GrepMatch,
    RunGate,
    RunTests,
    SecretScan,
)
from signoff.host.processes.process_door import ProcessDoor


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def python(code: str, *, once: bool = False) -> CommandExit:
    return CommandExit(command="python", args=("-c", code), expected_exit=0, once=once)


COUNTS_RUNS = "open('../runs', 'a').write('x'); "


def runs(bench: Bench) -> int:
    path = bench.folder.with_name("runs")
    return len(path.read_text()) if path.exists() else 0


# --- receipts ---


def test_a_receipt_holds_what_was_measured(bench: Bench) -> None:
    order = bench.order(python("print('hello')"))

    receipt = bench.run(order).receipt

    assert (receipt.key, receipt.contract, receipt.carried) == (order.key, order.contract, order.carried)
    assert receipt.observation.clause == order.clause
    assert (receipt.observation.place, receipt.observation.tree) == (order.place, order.tree)
    assert receipt.cwd == "."
    assert receipt.started_at <= receipt.ended_at
    assert receipt.duration_ms >= 0
    assert receipt.stdout is not None
    assert receipt.stderr is not None
    assert (receipt.stdout.path, receipt.stdout.size) == ("check-1.out", 6)
    assert receipt.stderr.path == "check-1.err"
    assert receipt.sandbox == "none"


def test_a_file_check_has_times_and_no_streams(bench: Bench) -> None:
    receipt = bench.run(bench.order(FileExists(path="a"))).receipt

    assert (receipt.argv, receipt.stdout, receipt.stderr) == ((), None, None)
    assert receipt.started_at.endswith("Z")


def test_a_receipt_survives_its_way_through_json(bench: Bench) -> None:
    receipt = bench.run(bench.order(python("pass"))).receipt

    assert msgspec.json.decode(msgspec.json.encode(receipt), type=Receipt) == receipt


@pytest.mark.parametrize("text", ["a\nb", "a\x1b[31mb", "x" * 1000, "a\u2028b\u202eb", "caf\udce9", "a\tb"])
def test_a_detail_is_one_short_printable_line(text: str) -> None:
    line = one_line(text)

    assert line.isprintable()
    assert len(line) <= 300


def test_a_tree_that_is_not_there_says_nothing_about_the_work(bench: Bench) -> None:
    bench.folder.rmdir()

    assert bench.see(FileExists(path="a")).result is PARTIAL
    assert bench.see(python("pass")).result is PARTIAL


def test_a_check_that_the_engine_compares_is_not_run(bench: Bench) -> None:
    """The engine computes it from trees and reports; asking the runner for one is a bug."""
    with pytest.raises(AssertionError, match="compared by the engine"):
        bench.see(SecretScan())


def test_the_runner_is_a_check_runner(bench: Bench) -> None:
    runner: CheckRunner = bench.runner()

    assert runner.run(bench.order(FileExists(path="a"))) is not None


# --- stopping ---


def stopped(request: ProcessRequest, outcome: ProcessOutcome) -> ProcessOutcome:
    return replace(outcome, ending=Ending.STOPPED, exit_code=None)


@pytest.mark.parametrize(
    "order",
    [
        lambda b: b.order(python("pass")),
        lambda b: b.order(RunGate(argv=("true",))),
        lambda b: b.order(RunTests(), test_command=("true",), test_report="r.xml"),
        lambda b: b.order(GrepMatch(path="a", pattern="x", expect=Expectation.ABSENT)),
    ],
)
def test_a_check_that_was_stopped_gives_nothing(bench: Bench, order: Callable[[Bench], CheckOrder]) -> None:
    bench.write("a", "")
    bench.door = WatchedDoor(bench.door, stopped)

    assert bench.runner().run(order(bench)) is None


def test_stopping_reaches_a_program_that_runs(bench: Bench) -> None:
    order = bench.order(python("import time; open('../up', 'w'); time.sleep(60)"))
    results: list[CheckSeen | None] = []
    thread = threading.Thread(target=lambda: results.append(bench.runner().run(order)))

    thread.start()
    wait_for(bench.folder.with_name("up"))
    bench.door.stop_all()
    thread.join(20)

    assert results == [None]


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert path.exists()


# --- recovery ---


def test_nothing_that_never_ran_is_recovered(bench: Bench) -> None:
    assert bench.runner().recover(bench.order(python("pass"))) is None


@pytest.mark.parametrize(
    ("check", "result"),
    [
        (python(COUNTS_RUNS), PASS),
        (python(COUNTS_RUNS + "raise SystemExit(3)"), FAIL),
        (replace(python(COUNTS_RUNS + "print('x')"), expect_stdout_match="^x$"), PASS),
        (replace(python(COUNTS_RUNS + "print('x')"), expect_stdout_match="^y$"), FAIL),
        (replace(python(COUNTS_RUNS + "import time; time.sleep(60)"), timeout_ms=400), PARTIAL),
        (RunGate(argv=("python", "-c", COUNTS_RUNS)), PASS),
    ],
)
def test_what_finished_is_recovered_as_it_would_have_been_seen_and_not_repeated(
    bench: Bench, check: CommandExit | RunGate, result: str
) -> None:
    order = bench.order(check)
    seen = bench.run(order)

    recovered = Bench.runner(bench).recover(order)

    assert recovered == seen
    assert seen.receipt.observation.result == result
    assert runs(bench) == 1


def test_a_recovered_receipt_names_the_command_that_really_ran(bench: Bench, tmp_path: Path) -> None:
    """Not the one that this driver would have started, by its own interpreter in a copy of its own."""
    seen = bench.run(bench.order(python("raise SystemExit(3)")))
    bench.folder = bench.folder.rename(tmp_path / "another")
    bench.python = "/another/python"

    assert bench.runner().recover(bench.order(python("raise SystemExit(3)"))) == seen


def test_the_command_is_on_disk_before_it_runs_and_no_older_slip_beside_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver that dies in between must not have an old outcome taken for that of the new command."""
    Path(bench.logs + ".slip").write_text("old")
    run, seen = ProcessDoor.run, []

    def look(door: ProcessDoor, request: ProcessRequest) -> ProcessOutcome:
        seen.append((Path(bench.logs + ".argv.json").read_bytes(), Path(bench.logs + ".slip").exists()))
        return run(door, request)

    monkeypatch.setattr(ProcessDoor, "run", look)
    receipt = bench.run(bench.order(python("pass"))).receipt

    ((recorded, has_slip),) = seen
    assert msgspec.json.decode(recorded) == {"argv": list(receipt.argv), "folder": str(bench.folder)}
    assert not has_slip


def test_a_run_from_before_commands_were_recorded_is_recovered_too(bench: Bench) -> None:
    seen = bench.run(bench.order(python("pass")))
    Path(bench.logs + ".argv.json").unlink()

    assert bench.runner().recover(bench.order(python("pass"))) == seen


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", b'{"argv": "x", "folder": 1}'])
def test_a_recorded_command_that_cannot_be_read_is_an_error_not_an_absence(bench: Bench, text: bytes) -> None:
    bench.run(bench.order(python("pass")))
    Path(bench.logs + ".argv.json").write_bytes(text)

    with pytest.raises(InfrastructureError) as caught:
        bench.runner().recover(bench.order(python("pass")))

    assert caught.value.slug == "slip-unreadable"


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are text there")
def test_a_folder_whose_name_is_no_text_can_be_recorded(bench: Bench, tmp_path: Path) -> None:
    bench.folder = bench.folder.rename(tmp_path / "caf\udce9")
    order = bench.order(CommandExit(command="true", expected_exit=0))

    assert bench.runner().recover(order) is None
    assert bench.run(order) == bench.runner().recover(order)


def test_a_program_that_could_not_start_is_recovered_as_such(bench: Bench) -> None:
    order = bench.order(CommandExit(command="no-such-program", expected_exit=0))
    seen = bench.run(order)

    assert bench.runner().recover(order) == seen


def test_file_checks_are_not_recovered_but_done_again(bench: Bench) -> None:
    bench.write("a", "x")
    checks = (
        FileExists(path="a"),
        GrepMatch(path="a", pattern="x", expect=Expectation.PRESENT),
        Behavioral(description="x", evidence_required=()),
    )

    for check in checks:
        bench.run(bench.order(check))
        assert bench.runner().recover(bench.order(check)) is None


def interrupted(bench: Bench, check: CommandExit) -> CheckOrder:
    """Leave what a driver leaves that died while the program ran: the mark of its start, and no slip."""
    order = bench.order(check)
    bench.run(order)
    Path(order.logs + ".slip").unlink()
    return order


def test_a_check_that_was_interrupted_may_run_again(bench: Bench) -> None:
    assert bench.runner().recover(interrupted(bench, python(COUNTS_RUNS))) is None


def test_a_check_that_must_not_run_twice_is_undecided_after_an_interruption(bench: Bench) -> None:
    recovered = bench.runner().recover(interrupted(bench, python(COUNTS_RUNS, once=True)))

    assert recovered is not None
    assert recovered.receipt.observation.result is PARTIAL
    assert recovered.receipt.observation.detail == "interrupted; declared once"
    assert runs(bench) == 1


def test_a_check_that_must_not_run_twice_is_undecided_after_it_was_stopped(bench: Bench) -> None:
    order = bench.order(python("import time; open('../up', 'w'); time.sleep(60)", once=True))
    thread = threading.Thread(target=bench.runner().run, args=(order,))
    thread.start()
    wait_for(bench.folder.with_name("up"))
    bench.door.stop_all()
    thread.join(20)

    recovered = bench.runner().recover(order)

    assert recovered is not None
    assert recovered.receipt.observation.detail == "interrupted; declared once"


def test_a_check_that_must_not_run_twice_may_run_if_it_never_started(bench: Bench) -> None:
    assert bench.runner().recover(bench.order(python(COUNTS_RUNS, once=True))) is None
