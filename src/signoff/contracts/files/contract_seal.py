"""Whether a contract is still what was agreed on, and still what its plan says. Pure.

A seal is the digest of everything in the contract but the seal itself, so spaces and the order of keys do not
break it and any change of what it says does. The hash of the plan covers the plan's bytes as they lie there.
"""

from enum import StrEnum
from typing import Final

from signoff.domain.base.typed_ids import Digest
from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.canonical import canonical, digest
from signoff.text.json.violation_list import fault, shown

SEAL: Final = "seal"


class SealCode(StrEnum):
    """What can have come between a contract, its seal and its plan."""

    SEAL_BROKEN = "seal-broken"
    PLAN_DRIFTED = "plan-drifted"
    PLAN_HASH_MISSING = "plan-hash-missing"


def seal_of(raw: JsonObject) -> Digest:
    """Return the digest a contract is sealed under."""
    return digest(canonical({key: value for key, value in raw.items() if key != SEAL}))


def sealed(raw: JsonObject) -> JsonObject:
    """Return the contract with its seal, in place of an older one."""
    return {**{key: value for key, value in raw.items() if key != SEAL}, SEAL: seal_of(raw)}


def broken_seal(raw: JsonObject) -> Violation | None:
    """Return a violation if a sealed contract was changed, or None if it was not or has no seal."""
    if raw.get(SEAL, "") in ("", seal_of(raw)):
        return None
    return fault(
        SealCode.SEAL_BROKEN,
        f"the contract was changed after it was sealed under {shown(str(raw[SEAL]))}",
        f"/{SEAL}",
        fix="bring the sealed text back; or look at the change, then `signoff contract seal FILE --again`",
    )


def plan_drift(source_plan_hash: str, plan: bytes) -> Violation | None:
    """Return a violation if this is not the plan the contract was compiled from, else None.

    A contract without the hash of a plan gets a warning, because a change of the plan would go unnoticed.
    """
    if source_plan_hash == digest(plan):
        return None
    if not source_plan_hash:
        return fault(
            SealCode.PLAN_HASH_MISSING,
            "it does not say which plan it was compiled from, so a change of the plan would go unnoticed",
            "/source_plan_hash",
            fix="`signoff contract compile PLAN.md -o FILE --refresh` records it",
            severity=Severity.WARNING,
        )
    return fault(
        SealCode.PLAN_DRIFTED,
        "the plan was changed since the contract was compiled from it",
        "/source_plan_hash",
        fix="`signoff contract compile PLAN.md -o FILE --refresh`",
    )
