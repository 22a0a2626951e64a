"""The check runner: orders in, receipts out. Implements the `CheckRunner` port."""

import contextlib
import os
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from signoff.checks.base import Bench, Execute, Judgement, Unfinished, could_not_run, one_line
from signoff.checks.registry import PROCESS_CHECKS, load, name_of
from signoff.core.test_reports import counts
from signoff.domain.checks import CommandExit
from signoff.domain.orders import CheckOrder
from signoff.domain.ports import CheckSeen, Clock, Processes
from signoff.domain.processes import Ending, ProcessOutcome, ProcessRequest, Stream
from signoff.domain.receipts import Observation, Receipt

_FINISHED = (Ending.EXITED, Ending.TIMED_OUT, Ending.NOT_STARTED)


class _Times(NamedTuple):
    started_at: str
    ended_at: str
    duration_ms: int


class Runner:
    """Runs the checks that need files or processes, each on its own materialised tree.

    `env` is the scrubbed environment of the project's programs; `python` stands in for the bare words
    `python` and `python3` in their commands, unless it is empty.
    """

    def __init__(self, processes: Processes, clock: Clock, env: dict[str, str], python: str) -> None:
        self._processes = processes
        self._clock = clock
        self._env = env
        self._python = python

    def run(self, order: CheckOrder) -> CheckSeen | None:
        """Run it; None when the run was asked to stop meanwhile."""
        bench = self._bench(order, self._run_now)
        began = self._clock.now()
        try:
            judgement = _judge(bench)
        except Unfinished:
            return None
        return _seen(order, judgement, _between(began, self._clock.now()))

    def was_started(self, order: CheckOrder) -> bool:
        """Say whether an earlier driver got as far as starting a program for this check."""
        return any(self._processes.was_started(order.logs + suffix) for suffix in (".slip", ".regex.slip"))

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Give what an earlier driver's run left behind if it had finished; its survivors are ended first."""
        self._processes.recover(order.logs + ".regex.slip")
        if name_of(order.check) not in PROCESS_CHECKS:
            return None
        slip = order.logs + ".slip"
        outcome = self._processes.recover(slip)
        now = self._clock.now()
        if outcome is None or outcome.ending not in _FINISHED:
            if _must_not_repeat(order) and (outcome is not None or self._processes.was_started(slip)):
                return _seen(order, could_not_run("interrupted; declared once"), _Times(now, now, 0))
            return None
        try:
            judgement = _judge(self._bench(order, _Left(outcome), is_recovery=True))
        except Unfinished:
            return None
        return _seen(order, judgement, _between(now, self._clock.now()))

    def _bench(self, order: CheckOrder, execute: Execute, *, is_recovery: bool = False) -> Bench:
        env = check_env(self._env, order.folder)
        return Bench(order, self._processes, env, self._python, execute, is_recovery)

    def _run_now(self, request: ProcessRequest, stale: tuple[str, ...] = ()) -> ProcessOutcome:
        for path in stale:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
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


def check_env(base: dict[str, str], folder: str) -> dict[str, str]:
    """Give the environment of a check.

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


def _judge(bench: Bench) -> Judgement:
    if not os.path.isdir(bench.order.folder):
        return could_not_run("the materialised tree is not there")
    try:
        return load(name_of(bench.order.check))(bench)
    except OSError as error:
        return could_not_run(f"{error.strerror or error}: {error.filename or ''}")


def _must_not_repeat(order: CheckOrder) -> bool:
    return isinstance(order.check, CommandExit) and order.check.once


def _between(began: str, ended: str) -> _Times:
    span = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return _Times(began, ended, max(0, round(span.total_seconds() * 1000)))


def _seen(order: CheckOrder, judgement: Judgement, times: _Times) -> CheckSeen:
    ran, report = judgement.ran, judgement.report
    outcome = ran.outcome if ran else None
    if outcome:
        times = _Times(outcome.started_at, outcome.ended_at, outcome.duration_ms)
    observation = Observation(
        clause=order.clause,
        place=order.place,
        tree=order.tree,
        result=judgement.result,
        failure_reason=judgement.reason,
        detail=one_line(judgement.detail),
        exit_code=outcome.exit_code if outcome else None,
        counts=counts(report) if report else None,
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
        carried=order.carried,
    )
    return CheckSeen(receipt, report)


def _moved(stream: Stream) -> Stream:
    """Name the file alone: receipts and logs may be moved together."""
    return replace(stream, path=os.path.basename(stream.path))
