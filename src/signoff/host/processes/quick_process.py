"""A short program with a short question on stdin, without the cost of importing `subprocess`.

For the first cycle of a host, which waits for every import: `subprocess` alone would cost as much as the
program. Everything else goes through `host.processes.process_door`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import time
from _signal import SIGKILL, SIGPIPE, SIGXFSZ  # type: ignore[import-not-found] # signal, without its enums
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLOCK = 1 << 16
_LONGEST_QUESTION = 512
"""Bytes. Every system's pipe takes this much without waiting for a reader."""


class ProgramAnswer(NamedTuple):
    """What the program answered. A negative `exit_code` is the signal that ended it."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def answer_of(
    argv: tuple[str, ...], question: bytes, env: Mapping[str, str], timeout_s: float
) -> ProgramAnswer:
    """Run a program found on the PATH of `env` to its end. Raise FileNotFoundError if it is not there.

    One that takes too long is killed, and its exit code says so.
    """
    assert len(question) <= _LONGEST_QUESTION
    ours: list[int] = []
    theirs: list[int] = []
    try:
        for is_input in (True, False, False):
            reading, writing = map(_above_standard, os.pipe())
            ours.append(writing if is_input else reading)
            theirs.append(reading if is_input else writing)
        process = _start(argv, env, theirs)
        while theirs:
            os.close(theirs.pop())
        with contextlib.suppress(BrokenPipeError):  # it ended without listening; its exit code says why
            os.write(ours[0], question)
        os.close(ours.pop(0))
        stdout, stderr = _read_both(ours[0], ours[1], process, time.monotonic() + timeout_s)
        _, status = os.waitpid(process, 0)
        return ProgramAnswer(os.waitstatus_to_exitcode(status), stdout, stderr)
    finally:
        for handle in (*ours, *theirs):
            os.close(handle)


def _above_standard(handle: int) -> int:
    """Return the handle under a number above the three standard ones, even if those are closed."""
    if handle > 2:
        return handle
    moved = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(handle)
    return moved


def _start(argv: tuple[str, ...], env: Mapping[str, str], handles: list[int]) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, handle, number) for number, handle in enumerate(handles)]
    # Python ignores these two; a program expects the system's own way.
    usual = [SIGPIPE, SIGXFSZ]
    for folder in os.get_exec_path(dict(env)):
        path = os.path.join(folder, argv[0])
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return os.posix_spawn(path, argv, env, file_actions=actions, setsigdef=usual)
    raise FileNotFoundError(argv[0])


def _read_both(out: int, err: int, process: int, deadline: float) -> tuple[bytes, bytes]:
    """Read two pipes to their ends, so that neither fills up while the other is waited for."""
    said: dict[int, list[bytes]] = {out: [], err: []}
    waiting = select.poll()
    for handle in said:
        waiting.register(handle, select.POLLIN)
    is_open = set(said)
    while is_open:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            os.kill(process, SIGKILL)
            break
        for handle, _ in waiting.poll(left_s * 1000):
            if block := os.read(handle, _BLOCK):
                said[handle].append(block)
            else:
                waiting.unregister(handle)
                is_open.discard(handle)
    return b"".join(said[out]), b"".join(said[err])
