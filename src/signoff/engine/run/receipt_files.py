"""Order a check, and keep what it saw: its receipt as a file of the run, its report as a blob."""

import msgspec

from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.evidence.receipts import FailureReason, Observation, Receipt, Result
from signoff.domain.ports import CheckSeen, RunFolder
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.effects import RunCheck
from signoff.domain.run.outcomes import Checked
from signoff.domain.work.settings import Settings
from signoff.text.json.canonical import digest


def check_order(
    run: RunFolder,
    effect: RunCheck,
    settings: Settings,
    test_command: tuple[str, ...],
    folder: str,
    carried: dict[str, Digest] | None = None,
) -> CheckOrder:
    """Return the order that has a check run in `folder`. Without a tree, that folder is the person's own."""
    return CheckOrder(
        key=effect.key,
        clause=effect.clause,
        check=effect.check,
        place=effect.place,
        tree=effect.tree,
        contract=effect.contract,
        folder=folder,
        logs=run.log_path(effect.key),
        timeout_s=settings.checks.timeout_s,
        test_command=test_command,
        test_report=settings.checks.test_report,
        citations=effect.citations,
        carried=carried or {},
        sandbox=settings.sandbox,
        in_place=not effect.tree,
    )


def receipt_name(key: EffectKey) -> str:
    """Name the file of a receipt."""
    return f"receipts/{key}.json"


def keep_receipt(folder: RunFolder, seen: CheckSeen, *, is_replay: bool) -> Checked:
    """Write the receipt. Its digest stays out of a replayed journal, because times differ."""
    receipt = seen.receipt
    if seen.report is not None:
        blob = folder.blobs.put(msgspec.json.encode(seen.report))
        observation = msgspec.structs.replace(receipt.observation, report=blob)
        receipt = msgspec.structs.replace(receipt, observation=observation)
    body = msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n"
    folder.write(receipt_name(receipt.key), body)
    return Checked(observation=receipt.observation, evidence=None if is_replay else digest(body))


def compared(
    effect: RunCheck, findings: tuple[Finding, ...] | None, moment: str, unread: tuple[str, ...] = ()
) -> Receipt:
    """Make the receipt of a check that compares what the engine already has. None: something is missing.

    A pass with `unread` files names them in its detail, because it says nothing about them.
    """
    reason: FailureReason | None = None
    if findings is None:
        result, detail = Result.PARTIAL, "a test report it compares is missing"
        reason = FailureReason.EXECUTION_ERROR
    elif findings:
        result, detail, reason = Result.FAIL, in_one_line(findings), FailureReason.CRITERIA_UNMET
    else:
        more = f" (and {len(unread) - 1} more)" if len(unread) > 1 else ""
        result, detail = Result.PASS, f"not judged: {unread[0]}{more}"[:300] if unread else ""
    observation = Observation(
        clause=effect.clause,
        place=effect.place,
        tree=effect.tree,
        result=result,
        failure_reason=reason,
        detail=detail,
        contract=effect.contract,
    )
    return Receipt(
        key=effect.key, observation=observation, contract=effect.contract, started_at=moment, ended_at=moment
    )


def in_one_line(findings: tuple[Finding, ...]) -> str:
    """Join the first findings to the length of a detail."""
    said = [f"{finding.path}: {finding.message}" if finding.path else finding.message for finding in findings]
    more = f" (and {len(said) - 3} more)" if len(said) > 3 else ""
    return ("; ".join(said[:3]) + more)[:300]
