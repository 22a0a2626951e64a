"""What Ctrl-C does to a run: at a terminal it first asks, elsewhere the run stops in good order.

    1st   at a terminal the question, elsewhere stop now
    2nd   stop now: agents are ended with their children, and `signoff runs resume` goes on
    3rd   an ordinary interrupt

The handler itself only sets a flag, because a signal may come while a lock is held. Another thread asks.
"""

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.cli.shared.progress import Progress
from signoff.cli.shared.terminal import on_terminal
from signoff.domain.run.events import How
from signoff.engine.run.mailbox import DriverMailbox
from signoff.runs.drive.run_drive import OnReady

_POLL_S = 0.1
_QUESTION = """
Stop this run? What has finished is kept either way, and `signoff runs resume` goes on from there.
  s  stop now: what is running is ended, and begins again when the run is resumed
  f  finish what is running, begin nothing more, then stop
  c  continue
Ctrl-C again stops now.
> """
_CHOICES = {"s": "s", "stop": "s", "f": "f", "finish": "f", "c": "c", "continue": "c", "": "c"}


@contextmanager
def stopping_on_signals(progress: Progress, *, ask: bool) -> Iterator[OnReady]:
    """Let signals stop a run in good order while it is driven, and restore the old handlers afterwards."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    interrupts = _Interrupts(progress)

    def on_ready(mailbox: DriverMailbox) -> None:
        def handle(number: int, _frame: object) -> None:
            if ask and number == signal.SIGINT and interrupts.may_ask():
                interrupts.asked.set()
                return
            signal.signal(number, signal.default_int_handler)
            interrupts.settled.set()
            # A person types Ctrl-C at a terminal, a program sends every other signal.
            how = How.TERMINAL if number == signal.SIGINT and on_terminal() else How.RELAYED
            mailbox.request_stop(signal.Signals(number).name, how)

        for number in numbers:
            signal.signal(number, handle)
        if ask:
            interrupts.begin(mailbox)

    try:
        yield on_ready
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        interrupts.end()


class _Interrupts:
    """The question after a first Ctrl-C, asked from a thread of its own."""

    def __init__(self, progress: Progress) -> None:
        self.asked = threading.Event()
        """A first Ctrl-C came and is not answered yet."""
        self.settled = threading.Event()
        """The run stops, or is over: there is nothing to ask any more."""
        self._finishing = False
        self._progress = progress
        self._thread: threading.Thread | None = None

    def may_ask(self) -> bool:
        return not (self.asked.is_set() or self.settled.is_set() or self._finishing)

    def begin(self, mailbox: DriverMailbox) -> None:
        self._thread = threading.Thread(target=self._wait, args=(mailbox,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        self.settled.set()
        if self._thread is not None:
            self._thread.join()

    def _wait(self, mailbox: DriverMailbox) -> None:
        while not self.settled.is_set():
            if not self.asked.wait(_POLL_S):
                continue
            self._progress.hold()
            choice = self._choice()
            match choice:
                case "s":
                    mailbox.request_stop(signal.Signals.SIGINT.name, How.TERMINAL)
                    self.settled.set()
                case "f":
                    self._finishing = True
                    mailbox.request_finish(signal.Signals.SIGINT.name, How.TERMINAL)
                case _:
                    pass
            self._progress.release({"s": "stopping", "f": "finishing what runs"}.get(choice, ""))
            self.asked.clear()

    def _choice(self) -> str:
        """Ask until one of the letters is typed. Return it, or an empty text if the run stops meanwhile."""
        _say(_QUESTION)
        while not self.settled.is_set():
            line = _typed()
            if line is None:
                continue
            if line.lower() in _CHOICES:
                return _CHOICES[line.lower()]
            _say("s, f or c > ")
        _say("\n")
        return ""


def _typed() -> str | None:
    """Return the line that the person typed, None while there is none. The end of input is an empty line."""
    descriptor = sys.stdin.fileno()
    if not select.select([descriptor], [], [], _POLL_S)[0]:
        return None
    # Not through sys.stdin: select cannot tell whether a line already lies in Python's own buffer.
    return os.read(descriptor, 4096).decode(errors="replace").strip()


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
