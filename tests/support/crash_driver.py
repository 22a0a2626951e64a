"""Run the product in a process that kills itself, with signal 9, at a chosen point.

    crash_driver.py POINT TRACE COMMAND…

POINT is `append` (after the first record of this process is on disk, the one that says it took the run up
not counted), `before` (before an effect is performed), `after` (after it is performed, before anything is
recorded of it), `during` (while a supervised program runs), each once for every key, `every:N` (one in N
of all of these), or `never`. TRACE gets a line for each effect performed and each program started and
finished, and remembers over all the processes of one run where they died.
"""

import os
import re
import signal
import sys
import threading
import zlib
from pathlib import Path

from signoff.__main__ import main
from signoff.delivery.effects.carrier import JobCarrier
from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.ports import JournalLine
from signoff.domain.run.effects import Effect
from signoff.domain.run.outcomes import Outcome
from signoff.engine.run_state import OpenIntent
from signoff.host.processes.process_door import ProcessDoor
from signoff.storage.journal import Journal

POINT, TRACE, *COMMAND = sys.argv[1:]
LOCK = threading.Lock()


def trace(*words: str) -> None:
    with open(TRACE, "a", encoding="utf-8") as file:
        file.write(" ".join(words) + "\n")


def place_of(name: str) -> str:
    """An interrupted dispatch goes on under the next number; it is the same place."""
    return re.sub(r"dispatch-[0-9]+", "dispatch", os.path.basename(name) if name[0] == "/" else name)


def is_meant(mark: str) -> bool:
    """Say whether this is a place to die at."""
    if POINT.startswith("every:"):
        return zlib.crc32(mark.encode()) % int(POINT.removeprefix("every:")) == 0
    return mark.split(" ")[1] == POINT


def die_once(point: str, name: str) -> None:
    """Die here, unless an earlier process of this run died here already."""
    mark = f"died {point} {place_of(name)}"
    with LOCK:
        if not is_meant(mark) or mark in Path(TRACE).read_text(encoding="utf-8").splitlines():
            return
        trace(mark)
        os.kill(os.getpid(), signal.SIGKILL)


append, perform, run = Journal.append, JobCarrier.perform, ProcessDoor.run


def dying_append(self: Journal, body: bytes, ts: str) -> JournalLine:
    line = append(self, body, ts)
    if line.seq > 1 and line.event != "resumed":
        die_once("append", str(line.seq))
    return line


def dying_perform(self: JobCarrier, effect: Effect, intent: OpenIntent) -> Outcome | None:
    die_once("before", effect.key)
    outcome = perform(self, effect, intent)
    with LOCK:
        trace("performed", effect.key)
    die_once("after", effect.key)
    return outcome


def dying_run(self: ProcessDoor, request: ProcessRequest) -> ProcessOutcome:
    with LOCK:
        trace("started", request.slip_path)
    if POINT == "during" or POINT.startswith("every:"):
        threading.Thread(target=_die_once_it_runs, args=(request.slip_path,), daemon=True).start()
    outcome = run(self, request)
    with LOCK:
        trace("finished", request.slip_path)
    return outcome


def _die_once_it_runs(slip: str) -> None:
    while not os.path.exists(slip + ".started"):
        threading.Event().wait(0.002)
    die_once("during", slip)


Path(TRACE).touch()
Journal.append = dying_append  # type: ignore[method-assign]
JobCarrier.perform = dying_perform  # type: ignore[method-assign]
ProcessDoor.run = dying_run  # type: ignore[method-assign]

if __name__ == "__main__":
    sys.exit(main(COMMAND))
