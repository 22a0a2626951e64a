"""Show an agent what the engine saw fail: the command, its exit code, the failed tests and its last words.

Added when a directive is handed out, from the receipts and logs of the run: what a program prints differs
from run to run and is long, so it is no part of the effect that the journal names.
"""

import msgspec
from msgspec.structs import replace

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.run_view import View
from signoff.domain.base.typed_ids import ClauseId, EffectKey
from signoff.domain.evidence.receipts import CaseOutcome, Receipt, TestReport
from signoff.domain.run.directives import Directive, Failure, WorkRequest
from signoff.domain.run.outcomes import Checked
from signoff.domain.work.check_kinds import project_command
from signoff.domain.work.observations import Observation, Result
from signoff.engine.run.receipt_files import receipt_name
from signoff.text.redaction import redact

_MOST_TESTS = 20
_LONGEST_TEST = 200
_LONGEST_OUTPUT = 4000
_LONGEST_WHOLE = 16_000
"""Bytes of the output of all failures together. The first failures come first."""


def with_details(job: DeliveryJob, directive: Directive) -> Directive:
    """Return the directive with the output of the failures it names, or unchanged if it names none."""
    payload = directive.payload
    if not isinstance(payload, WorkRequest) or not payload.failures:
        return directive
    room = _LONGEST_WHOLE
    told: list[Failure] = []
    for failure in payload.failures:
        detailed = _detailed(job, failure, min(room, _LONGEST_OUTPUT))
        room -= len(detailed.output)
        told.append(detailed)
    return replace(directive, payload=replace(payload, failures=tuple(told)))


def _detailed(job: DeliveryJob, failure: Failure, room: int) -> Failure:
    found = _receipt(job, failure)
    if found is None:
        return failure
    key, seen = found
    data = job.folder.read(receipt_name(key))
    receipt = msgspec.json.decode(data, type=Receipt) if data else None
    failed: list[str] = []
    if seen.report is not None:
        report = msgspec.json.decode(job.folder.blobs.get(seen.report), type=TestReport)
        bad = (CaseOutcome.FAILED, CaseOutcome.ERROR)
        failed = [case.id[:_LONGEST_TEST] for case in report.cases if case.outcome in bad]
    return replace(
        failure,
        command=_command(job, seen.clause, receipt),
        exit_code=seen.exit_code,
        failed_tests=tuple(failed[:_MOST_TESTS]),
        output=_output(job, key, room),
    )


def _command(job: DeliveryJob, clause: ClauseId, receipt: Receipt | None) -> tuple[str, ...]:
    """Return the command as the project has it, without what the engine wrapped around it for a server."""
    clauses = View(job.state(), job.folder.blobs.get).clauses() if job.state().start else ()
    checks = [each.check for each in clauses if each.id == clause]
    if checks and checks[0] is not None and (ran := project_command(checks[0])):
        return ran.argv
    return receipt.argv if receipt else ()


def _receipt(job: DeliveryJob, failure: Failure) -> tuple[EffectKey, Observation] | None:
    """Find the check that the failure came from: the last one of its clause that failed with these words."""
    for key, outcome in reversed(job.state().done.items()):
        if isinstance(outcome, Checked):
            seen = outcome.observation
            if seen.clause == failure.clause and seen.result is Result.FAIL and seen.detail == failure.detail:
                return key, seen
    return None


def _output(job: DeliveryJob, key: EffectKey, room: int) -> str:
    """Return the end of what was printed: of stdout and stderr, each its share."""
    texts = [_text(job, key, suffix) for suffix in (".out", ".err")]
    spoken = [text for text in texts if text]
    share = room // len(spoken) if spoken else 0
    return "\n".join(text[-share:] if share else "" for text in spoken)[:room]


def _text(job: DeliveryJob, key: EffectKey, suffix: str) -> str:
    data = job.folder.log_tail(key, suffix, 4 * _LONGEST_OUTPUT)
    return redact(data).decode(errors="replace").strip()
