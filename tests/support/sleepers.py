"""Programs that sleep for a number of seconds nobody else does, so that those of one test are found."""

import itertools
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

_NAPS = itertools.count()


def a_nap() -> Iterator[str]:
    """Give such a number, and end afterwards whoever still sleeps it; for a fixture to yield from."""
    seconds = f"4{os.getpid()}.{next(_NAPS)}1"
    yield seconds
    for pid in sleepers(seconds):
        os.kill(pid, signal.SIGKILL)


def sleepers(nap: str) -> list[int]:
    """Find who sleeps it."""
    listing = subprocess.run(["ps", "-axww", "-o", "pid=,stat=,args="], capture_output=True, check=True)
    lines = [line.split(maxsplit=2) for line in listing.stdout.decode(errors="replace").splitlines()]
    return [int(pid) for pid, state, args in lines if args == f"sleep {nap}" and state[0] != "Z"]


def until(condition: Callable[[], object], limit_s: float = 15) -> None:
    """Wait for something to come about."""
    give_up = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < give_up, "it did not come about"
        time.sleep(0.02)
