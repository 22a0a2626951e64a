"""One run of a real program in a folder of its own, with our clock and our signals."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from realclis import Cli, Order, common_env

_START_S = 60.0
_TOOL_S = 1.5
"""From a tool's call to the tool at work."""


class Run(NamedTuple):
    """What could be seen of it."""

    exit_code: int | None
    """None when our clock ended it."""
    seconds: float
    stdout: bytes
    stderr: bytes
    argv: tuple[str, ...]

    @property
    def lines(self) -> list[bytes]:
        """The lines of stdout that hold something."""
        return [line for line in self.stdout.splitlines() if line.strip()]


def lay_out(folder: Path, *, with_git: bool = True) -> Path:
    """Make the folder the scenarios speak of, or put its file back as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "app.py").write_text('GREETING = "hello"\n\n\ndef greet():\n    return GREETING\n')
    if not with_git:
        return folder
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "first")):
        subprocess.run(("git", *words), **quiet)  # type: ignore[call-overload]
    return folder


def run(
    cli: Cli,
    order: Order,
    folder: Path,
    *,
    limit_s: float,
    stop: signal.Signals | None = None,
    is_at_work: Callable[[], bool] = bool,
) -> Run:
    """Run it to its end, or to `limit_s`; with `stop`, send that signal to its group once it is at work.

    Tools may run in sessions of their own, so that what is left afterwards is ended by its folder.
    """
    start = cli.start(order)
    (order.home / "tmp").mkdir(parents=True, exist_ok=True)
    for name, content in start.files.items():
        place = order.home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    argv = (str(cli.program), *start.argv)
    out, err = order.home / "tmp" / "stdout", order.home / "tmp" / "stderr"
    began = time.monotonic()
    # Files: Gemini ends before a pipe is drained, and its last lines are lost.
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=common_env(order.home) | cli.env | dict(start.env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    if stop is not None:
        wait_until(is_at_work)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, stop)
    try:
        exit_code: int | None = process.wait(timeout=limit_s)
    except subprocess.TimeoutExpired:
        exit_code = None
    seconds = time.monotonic() - began
    _end(process, order.home)
    process.wait()
    return Run(exit_code, round(seconds, 2), out.read_bytes(), err.read_bytes(), argv)


def wait_until(is_at_work: Callable[[], bool]) -> None:
    """Wait until a program is in the middle of its work: its model was asked, and its tool has begun."""
    give_up = time.monotonic() + _START_S
    while not is_at_work() and time.monotonic() < give_up:
        time.sleep(0.05)
    time.sleep(_TOOL_S)


def _end(process: "subprocess.Popen[bytes]", home: Path) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    end_processes_of(home)


def end_processes_of(home: Path) -> None:
    """Kill what is left of a run, sessions of its tools included."""
    for left in processes_of(home):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(left, signal.SIGKILL)


def processes_of(home: Path) -> list[int]:
    """Find what still runs with this run's home in its environment."""
    mark = f"HOME={home}\0".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes() + b"\0":
                found.append(int(place.name))
    return found
