"""The check runner: orders in, receipts out. Implements the `CheckRunner` port."""

import contextlib
import json
import os
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from signoff.checks.base import (
    CheckJudgement,
    CheckTools,
    Execute,
    Launched,
    Unfinished,
    could_not_run,
    one_line,
)
from signoff.checks.registry import run
from signoff.domain.base.errors import InfrastructureError
from signoff.domain.evidence.receipts import Observation, Receipt
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest, Stream
from signoff.domain.machine.sandbox_records import Level, SandboxOffer
from signoff.domain.ports import CheckSeen, Clock, Processes
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.check_kinds import command_of, needs_process
from signoff.host.files.durable_files import write_atomic
from signoff.judges.test_results.report_comparison import counts

_FINISHED = (Ending.EXITED, Ending.TIMED_OUT, Ending.NOT_STARTED)


class _Times(NamedTuple):
    started_at: str
    ended_at: str
    duration_ms: int


class Runner:
    """Runner of the checks that need files or processes, each on its own materialised tree.

    `env` is the scrubbed environment of the project's programs. `python` stands in for the bare words
    `python` and `python3` in their commands, unless it is empty.
    """

    def __init__(self, processes: Processes, clock: Clock, env: dict[str, str], python: str) -> None:
        self._processes = processes
        self._clock = clock
        self._env = env
        self._python = python

    def run(self, order: CheckOrder) -> CheckSeen | None:
        """Run a check, or return None if the run was asked to stop meanwhile."""
        bench = self._bench(order, _Now(self._processes, order))
        began = self._clock.now()
        try:
            judgement = _judge(bench)
        except Unfinished:
            return None
        return _seen(bench, judgement, _between(began, self._clock.now()))

    def offer(self) -> SandboxOffer:
        """Return the levels of confinement this machine gives its programs."""
        return self._processes.offer()

    def was_started(self, order: CheckOrder) -> bool:
        """Check whether an earlier driver got as far as starting a program for this check."""
        return any(self._processes.was_started(order.logs + suffix) for suffix in (".slip", ".regex.slip"))

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Return what an earlier driver's run left behind if it had finished. Its survivors are stopped."""
        self._processes.recover(order.logs + ".regex.slip")
        if not needs_process(order.check):
            return None
        slip = order.logs + ".slip"
        outcome = self._processes.recover(slip)
        now = self._clock.now()
        if outcome is None or outcome.ending not in _FINISHED:
            command = command_of(order.check)
            was_started = outcome is not None or self._processes.was_started(slip)
            if command is not None and command.once and was_started:
                undecided = could_not_run("interrupted; declared once")
                return _seen(self._bench(order, _Now(self._processes, order)), undecided, _Times(now, now, 0))
            return None
        bench = self._bench(order, _Left(outcome))
        bench = bench._replace(is_recovery=True, launched=_read_launched(order.logs))
        try:
            judgement = _judge(bench)
        except Unfinished:
            return None
        return _seen(bench, judgement, _between(now, self._clock.now()))

    def _bench(self, order: CheckOrder, execute: Execute) -> CheckTools:
        return CheckTools(order, self._processes, check_env(self._env, order.folder), self._python, execute)


class _Now:
    """Runs what is asked for, once it is on disk what that is."""

    def __init__(self, processes: Processes, order: CheckOrder) -> None:
        self._processes = processes
        self._order = order

    def __call__(self, request: ProcessRequest, stale: tuple[str, ...] = ()) -> ProcessOutcome:
        # The slip first of all: an earlier attempt's must never stand beside this one's command.
        for path in (request.slip_path, *stale):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        logs, launched = self._order.logs, Launched(argv=request.argv, folder=self._order.folder)
        os.makedirs(os.path.dirname(logs), exist_ok=True)
        # Not by msgspec: a folder's name need not be text, and this way of writing survives that.
        write_atomic(logs + ".argv.json", json.dumps(msgspec.to_builtins(launched)).encode() + b"\n")
        outcome = self._processes.run(request)
        if outcome.ending is Ending.STOPPED:
            raise Unfinished
        return outcome


class _Left:
    """In place of a run: the outcome an earlier driver left behind."""

    def __init__(self, outcome: ProcessOutcome) -> None:
        self._outcome = outcome

    def __call__(self, request: ProcessRequest, stale: tuple[str, ...] = ()) -> ProcessOutcome:  # noqa: ARG002
        return self._outcome


def _read_launched(logs: str) -> Launched | None:
    """Return what an earlier driver started, or None for a run from before this was recorded."""
    path = logs + ".argv.json"
    try:
        with open(path, "rb") as file:
            return msgspec.convert(json.loads(file.read()), type=Launched)
    except FileNotFoundError:
        return None
    except ValueError as error:  # msgspec's is one too
        raise InfrastructureError(
            f"cannot read {path}",
            slug="slip-unreadable",
            why=str(error),
            fix="it was changed by hand or by a failing disk; move it and the .slip beside it away to have "
            "the work done again",
        ) from error


def check_env(base: dict[str, str], folder: str) -> dict[str, str]:
    """Return the environment of a check.

    The tree comes first on Python's path: an editable install of the person's working tree must never be
    tested in its place.
    """
    source = os.path.join(folder, "src")
    paths = [*([source] if os.path.isdir(source) else []), folder, base.get("PYTHONPATH", "")]
    return {
        **base,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "true",
    }


def _judge(bench: CheckTools) -> CheckJudgement:
    if not os.path.isdir(bench.order.folder):
        return could_not_run("the materialised tree is not there")
    try:
        return run(bench, bench.order.check)
    except OSError as error:
        return could_not_run(f"{error.strerror or error}: {error.filename or ''}")


def _between(began: str, ended: str) -> _Times:
    span = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return _Times(began, ended, max(0, round(span.total_seconds() * 1000)))


def _seen(bench: CheckTools, judgement: CheckJudgement, times: _Times) -> CheckSeen:
    order = bench.order
    ran, report = judgement.ran, judgement.report
    outcome = ran.outcome if ran else None
    if outcome:
        times = _Times(outcome.started_at, outcome.ended_at, outcome.duration_ms)
    # Trees and runs have new folders each time, so their names are taken off the detail.
    detail = judgement.detail
    for folder in (bench.ran_in, order.folder, os.path.dirname(order.logs)):
        for name in sorted({folder, os.path.realpath(folder)}, key=len, reverse=True):
            detail = detail.replace(name + os.sep, "").replace(name, ".")
    observation = Observation(
        clause=order.clause,
        place=order.place,
        tree=order.tree,
        result=judgement.result,
        failure_reason=judgement.reason,
        detail=one_line(detail),
        exit_code=outcome.exit_code if outcome else None,
        counts=counts(report) if report else None,
        contract=order.contract,
    )
    receipt = Receipt(
        key=order.key,
        observation=observation,
        contract=order.contract,
        argv=ran.argv if ran else (),
        cwd=ran.cwd if ran else ".",
        started_at=times.started_at,
        ended_at=times.ended_at,
        duration_ms=times.duration_ms,
        stdout=_moved(outcome.stdout) if outcome else None,
        stderr=_moved(outcome.stderr) if outcome else None,
        sandbox=outcome.sandbox if outcome else Level.NONE,
        carried=order.carried,
    )
    return CheckSeen(receipt, report)


def _moved(stream: Stream) -> Stream:
    """Name the file alone: receipts and logs may be moved together."""
    return replace(stream, path=os.path.basename(stream.path))
