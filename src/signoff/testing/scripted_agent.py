"""A live agent that follows a script: `python -m signoff.testing.scripted_agent SCRIPT.json`.

For tests and for authors of plugins: a real program with a pid, that changes files, answers, crashes, hangs,
prints nonsense or leaves daemons behind. It speaks the protocol of the `command` agent: it reads a directive
as JSON on stdin, works in its working directory and prints its answer as JSON.

A script is a cassette whose entries may hold more steps, see `ScriptedStep`. The cassette's `answers` and
`order` are not used: the engine asks this agent like any other.
"""

import os
import signal
import sys
import time

import msgspec

from signoff.domain.run.cassettes import Cassette, CassetteEntry
from signoff.domain.run.directives import Directive
from signoff.host.processes.process_door import HelperAnswer, ask

NO_ENTRY = 3
"""Exit code when the script has nothing for the directive."""
BROKEN = 4
"""Exit code when the patch does not apply."""
_FOREVER_S = 3600.0


class ScriptedStep(CassetteEntry, frozen=True, kw_only=True):
    """What to do for one directive, in the order of these fields. Then the answer is printed."""

    sleep_s: float = 0.0
    """Think for so long before touching anything (`patch` and `files` come after this)."""
    run: tuple[tuple[str, ...], ...] = ()
    """Commands run in the checkout after the files were written. Output and exit code are ignored."""
    spawn_daemon: float = 0.0
    """Leave a process behind that sleeps so many seconds in a session of its own, with our stdout open."""
    hang: bool = False
    """Never end, and ignore INT and TERM."""
    garbage: str = ""
    """Print this instead of the answer."""
    exit_code: int = 0


class Script(Cassette, frozen=True, kw_only=True):
    """A cassette with steps."""

    entries: tuple[ScriptedStep, ...]


def main(argv: list[str]) -> int:
    """Do what the script named in `argv` says for the directive on stdin, and return the exit code."""
    if len(argv) != 1:
        sys.stderr.write("usage: python -m signoff.testing.scripted_agent SCRIPT.json < directive\n")
        return 2
    with open(argv[0], "rb") as file:
        script = msgspec.json.decode(file.read(), type=Script)
    directive = msgspec.json.decode(sys.stdin.buffer.read(), type=Directive)
    step = next((entry for entry in script.entries if entry.key == directive.key), None)
    if step is None:
        sys.stderr.write(f"the script has no entry for {directive.key}\n")
        return NO_ENTRY
    return _carry_out(step)


def _carry_out(step: ScriptedStep) -> int:
    time.sleep(step.sleep_s)
    if step.patch:
        applied = _run(("git", "apply", "--whitespace=nowarn", "-"), step.patch.encode())
        if applied.exit_code != 0:
            sys.stderr.buffer.write(applied.stderr)
            return BROKEN
    for path, content in step.files.items():
        _write(path, content)
    for command in step.run:
        _run(command)
    if step.spawn_daemon:
        _spawn_daemon(step.spawn_daemon)
    if step.hang:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(_FOREVER_S)
    sys.stdout.write(step.garbage or bytes(step.answer).decode())
    sys.stdout.write("\n")
    sys.stdout.flush()
    return step.exit_code


def _run(argv: tuple[str, ...], stdin: bytes = b"") -> HelperAnswer:
    return ask(argv, cwd=os.getcwd(), env=dict(os.environ), stdin=stdin)


def _write(path: str, content: str | None) -> None:
    """Write a file, or delete it. Any path will do: this may be the script of a liar."""
    if content is None:
        os.unlink(path)
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content.encode())


def _spawn_daemon(seconds: float) -> None:
    # Forked twice: its parent is gone and its session is its own, as with any well-made daemon.
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ("sleep", str(seconds)))  # noqa: S606 - a child of a scripted agent is the point
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
