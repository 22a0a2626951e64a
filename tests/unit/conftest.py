"""Unit tests touch nothing: what starts a program or sleeps belongs into tests/ports or tests/e2e."""

import sys
import time
from collections.abc import Iterator

import pytest

FORBIDDEN = {
    "subprocess.Popen": "starts a program",
    "os.fork": "forks",
    "os.posix_spawn": "starts a program",
    "os.system": "starts a program",
    "socket.bind": "opens a socket",
    "socket.connect": "opens a connection",
}
_running: list[str] = []


def _refuse_contact(event: str, _args: object) -> None:
    # An audit hook sees every way to a process, also one that a patched `subprocess` misses. It cannot be
    # removed, so it asks whether a unit test is running: other folders share the interpreter.
    if _running and event in FORBIDDEN:
        raise AssertionError(f"a unit test {FORBIDDEN[event]}: move it to tests/ports/<room>/ or tests/e2e")


sys.addaudithook(_refuse_contact)


def _refuse_sleep(_seconds: float) -> None:
    raise AssertionError("a unit test sleeps: move it to tests/ports/<room>/ or tests/e2e")


@pytest.fixture(autouse=True)
def untouched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse programs, sockets and sleep while the test runs, and hide the home directory."""
    monkeypatch.setattr(time, "sleep", _refuse_sleep)
    monkeypatch.setenv("HOME", "/nonexistent-home")
    _running.append(request.node.nodeid)
    yield
    _running.pop()
