"""What an agent that is sent back is shown of what failed."""

import json
from types import SimpleNamespace
from typing import cast

import msgspec

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.dispatch.failure_details import with_details
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TaskId, TreeId
from signoff.domain.evidence.receipts import (
    CaseOutcome,
    Observation,
    Receipt,
    ReportedTest,
    Result,
    TestReport,
)
from signoff.domain.run.directives import Directive, Failure, WorkRequest
from signoff.domain.run.outcomes import Checked, Outcome
from signoff.domain.work.checks import Place
from signoff.domain.work.contract import Task
from signoff.engine.run_state import State

# Put together here, so that no scanner of repositories takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
KEY = EffectKey("test/round-1/final/gate/tests")
REPORT = Digest("sha256:" + "1" * 64)


def seen(detail: str, clause: str = "gate/tests") -> Observation:
    return Observation(
        clause=ClauseId(clause),
        place=Place.FINAL,
        tree=TreeId("t"),
        result=Result.FAIL,
        detail=detail,
        exit_code=1,
        report=REPORT,
    )


def job(*observed: tuple[EffectKey, Observation], out: bytes = b"", err: bytes = b"") -> DeliveryJob:
    """Give as much of a job as is looked at."""
    cases = tuple(ReportedTest(id=f"test_{n}", outcome=CaseOutcome.FAILED) for n in range(30))
    report = TestReport(cases=(ReportedTest(id="fine", outcome=CaseOutcome.PASSED), *cases))
    logs = {".out": out, ".err": err}
    receipt = Receipt(key=KEY, observation=seen("bad"), contract=None, argv=("pytest", "-q"))
    folder = SimpleNamespace(
        blobs=SimpleNamespace(get=lambda _: msgspec.json.encode(report)),
        read=lambda _: msgspec.json.encode(receipt),
        log_tail=lambda _, suffix, most: logs[suffix][-most:],
    )
    done: dict[EffectKey, Outcome] = {key: Checked(observation=one) for key, one in observed}
    return cast("DeliveryJob", SimpleNamespace(folder=folder, state=lambda: State(done=done)))


def told(work: DeliveryJob, *failures: Failure) -> tuple[Failure, ...]:
    task = Task(id=TaskId("T1"), title="t", wave=1, action="a", verification=())
    payload = WorkRequest(task=task, goal="g", failures=failures)
    directive = with_details(work, Directive(key=EffectKey("k"), payload=payload))
    assert isinstance(directive.payload, WorkRequest)
    return directive.payload.failures


def test_the_command_its_exit_code_the_failed_tests_and_its_last_words_are_told() -> None:
    (failure,) = told(
        job((KEY, seen("bad")), out=b"head\ntail", err=b"oops"), Failure(clause="gate/tests", detail="bad")
    )

    assert (failure.command, failure.exit_code) == (("pytest", "-q"), 1)
    assert failure.failed_tests[0] == "test_0"
    assert len(failure.failed_tests) == 20
    assert failure.output == "head\ntail\noops"


def test_a_failure_of_another_kind_is_told_nothing_of_it() -> None:
    """The receipt of an earlier round would send the agent after something that is mended."""
    finding = Failure(clause="gate/tests", detail="an evaluator found: a.py:1")

    assert told(job((KEY, seen("bad")), out=b"x"), finding) == (finding,)


def test_output_is_cut_to_its_end_and_secrets_are_taken_out() -> None:
    noise = b"x" * 50_000 + TOKEN.encode() + b"\nlast words"
    failures = [Failure(clause=f"c{n}", detail="bad") for n in range(12)]
    work = job(*((EffectKey(f"k{n}"), seen("bad", f"c{n}")) for n in range(12)), out=noise, err=noise)
    given = told(work, *failures)

    assert all(len(failure.output) <= 4000 for failure in given)
    assert sum(len(failure.output) for failure in given) <= 16_000
    assert "last words" in given[0].output
    assert TOKEN not in json.dumps([failure.output for failure in given])
    assert given[-1].exit_code == 1, "what is short is always told"
