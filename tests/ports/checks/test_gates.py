"""`gate` with a server, with a report, and on a machine that lacks the tool."""

import os
import time
from pathlib import Path

import pytest
from checkbench import Bench

from signoff.domain.evidence.receipts import FailureReason, Observation, Result
from signoff.domain.work.checks import RunGate
from signoff.domain.work.strategies import ProjectServer, StrategyKind

SERVER = """\
import http.server, os, sys
open("pid", "w").write(str(os.getpid()))
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
ASKS = """\
import sys, urllib.request
sys.exit(0 if urllib.request.urlopen(sys.argv[1]).read() == b"hello" else 1)
"""
URL = "http://127.0.0.1:{port}/page"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def observe(bench: Bench, check: RunGate, timeout_s: float = 30) -> Observation:
    return bench.run(bench.order(check, clause="gate/api", timeout_s=timeout_s)).receipt.observation


def served(bench: Bench, page: str = "hello", **more: object) -> RunGate:
    bench.write("serve.py", SERVER)
    bench.write("ask.py", ASKS)
    bench.write("page", page)
    server = ProjectServer(argv=("python", "serve.py", "{port}"), url=URL, timeout_s=10)
    fields = {"kind": StrategyKind.API, "serve": server, "argv": ("python", "ask.py", URL), **more}
    return RunGate(**fields)  # type: ignore[arg-type]


def gone(pid: int) -> bool:
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("page", "result"), [("hello", Result.PASS), ("bye", Result.FAIL)])
def test_a_command_is_judged_against_its_server_which_is_gone_afterwards(
    bench: Bench, page: str, result: Result
) -> None:
    """A server that outlives its check answers for the next one."""
    seen = observe(bench, served(bench, page))

    assert seen.result is result, seen
    assert seen.failure_reason == (None if result is Result.PASS else FailureReason.TESTS_FAILED)
    assert gone(int((bench.folder / "pid").read_text()))


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (
            ProjectServer(argv=("python", "-c", "import sys; sys.exit(0)"), url=URL),
            "ended before it was ready",
        ),
        (
            ProjectServer(argv=("python", "-c", "import time; time.sleep(60)"), url=URL, timeout_s=1),
            "not ready in time",
        ),
        (ProjectServer(argv=("no-such-server",), url=URL), "could not be started"),
    ],
)
def test_a_server_that_does_not_come_up_says_nothing_about_the_work(
    bench: Bench, server: ProjectServer, said: str
) -> None:
    seen = observe(bench, served(bench, serve=server))

    assert seen.result is Result.PARTIAL
    assert said in seen.detail


def test_a_port_that_somebody_else_holds_is_not_taken_for_the_server(bench: Bench) -> None:
    """Otherwise the checks would be run against whatever an agent left listening."""
    import http.server
    import threading

    with http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        port = other.server_address[1]
        server = ProjectServer(argv=("python", "-c", "import time; time.sleep(60)"), port=port)
        seen = observe(bench, served(bench, serve=server, argv=("true",)))
        other.shutdown()

    assert seen.result is Result.PARTIAL
    assert "listens on the server's port already" in seen.detail


JUNIT = "<testsuite><testcase classname='a' name='one'/>{}</testsuite>"
BAD = "<testcase classname='a' name='two'><failure/></testcase>"


@pytest.mark.parametrize(
    ("report", "code", "result", "said"),
    [
        (JUNIT.format(""), 0, Result.PASS, "1 passed"),
        (JUNIT.format(BAD), 0, Result.FAIL, "disagree"),
        (JUNIT.format(BAD), 1, Result.FAIL, "1 of 2 failed"),
        ("<testsuite/>", 0, Result.FAIL, "no test was collected"),
        ("", 0, Result.PARTIAL, "no report was left"),
    ],
)
def test_exit_code_and_report_must_agree(
    bench: Bench, report: str, code: int, result: Result, said: str
) -> None:
    """An exit code of 0 over no test at all is no pass."""
    bench.write("out.xml", "an old one that was committed")
    write = f"import sys, os; {report!r} and open('out.xml', 'w').write({report!r}); sys.exit({code})"
    seen = observe(bench, RunGate(argv=("python", "-c", write), report="out.xml"))

    assert seen.result is result
    assert said in seen.detail


def test_a_module_that_is_not_installed_could_not_be_judged(bench: Bench) -> None:
    seen = observe(bench, RunGate(argv=("python", "-m", "no_such_checker"), kind=StrategyKind.TYPECHECK))

    assert (seen.result, seen.failure_reason) == (Result.PARTIAL, FailureReason.DEPENDENCY_MISSING)


def test_its_own_time_limit_holds_and_leaves_nothing(bench: Bench) -> None:
    check = served(bench, argv=("python", "-c", "import time; time.sleep(60)"), timeout_s=1)
    seen = observe(bench, check)

    assert seen.result is Result.PARTIAL
    assert "not finished after 1 s" in seen.detail
    assert gone(int((bench.folder / "pid").read_text()))
