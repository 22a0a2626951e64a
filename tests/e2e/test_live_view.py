"""A run on a real terminal: a view that moves and leaves nothing behind, and Ctrl-C that asks once."""

import os
import signal

from clibench import Bench
from test_live import nobody_is_left, patiently, script, with_agent
from tinyterm import Session

SPINNERS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def begin(bench: Bench, **steps: dict[str, object]) -> Session:
    with_agent(bench, patiently(script(**steps)))
    return Session(bench, "run", str(bench.ticket()), "--yes")


def is_working(seen: str) -> bool:
    return "▸ implement" in seen and "T1              command  works" in seen


def test_the_view_shows_who_works_and_is_gone_at_the_end(bench: Bench) -> None:
    """A view that is not taken away leaves half a page of stale lines between the verdict and the log."""
    session = begin(bench, T1={"sleep_s": 0.8}, T2={"sleep_s": 0.8})

    seen = session.wait_for(is_working)
    session.resize(60, 12)
    lines = session.end()

    assert "NOTE-1 A greeting and a farewell" in seen.splitlines()[-4]
    assert session.process.returncode == 0
    assert not [line for line in lines if line[:1] in SPINNERS and line]
    assert "✓ implement/T1/attempt-1/dispatch-1: done" in lines
    assert "▸" not in "\n".join(lines[1:])
    assert any(line.startswith("Verdict: SIGNED OFF") for line in lines)


def test_ctrl_c_asks_once_and_what_runs_may_finish(bench: Bench) -> None:
    session = begin(bench, T1={"sleep_s": 1.5}, T2={"sleep_s": 1.5})
    session.wait_for(is_working)

    os.kill(session.process.pid, signal.SIGINT)
    session.wait_for(lambda seen: seen.endswith("Ctrl-C again stops now.\n>"))
    session.type("f\n")
    lines = session.end()

    assert session.process.returncode == 130
    assert "✓ implement/T1/attempt-1/dispatch-1: done" in lines
    assert not any("capture" in line for line in lines)
    assert lines[-2].startswith("stopped; go on with: signoff runs resume")
    resumed = bench("runs", "resume", "latest")
    assert resumed.code == 0, resumed.err
    assert "dispatch-2" not in resumed.err


def test_a_run_that_goes_on_after_ctrl_c_is_signed_off(bench: Bench) -> None:
    session = begin(bench, T1={"sleep_s": 1.2})
    session.wait_for(lambda seen: "T1              command  works" in seen)

    os.kill(session.process.pid, signal.SIGINT)
    session.wait_for(lambda seen: seen.endswith(">"))
    session.type("what?\n")
    session.wait_for(lambda seen: seen.endswith("s, f or c >"))
    session.type("c\n")

    assert any(line.startswith("Verdict: SIGNED OFF") for line in session.end())
    assert session.process.returncode == 0


def test_a_second_ctrl_c_stops_at_once_and_leaves_nobody_behind(bench: Bench) -> None:
    session = begin(bench, T1={"hang": True}, T2={"hang": True})
    session.wait_for(is_working)

    os.kill(session.process.pid, signal.SIGINT)
    session.wait_for(lambda seen: seen.endswith(">"))
    os.kill(session.process.pid, signal.SIGINT)
    lines = session.end()

    assert session.process.returncode == 130
    assert any(line.startswith("stopped; go on with: signoff runs resume") for line in lines)
    assert nobody_is_left(bench.root)
    assert bench("runs", "resume", "latest").code == 0
