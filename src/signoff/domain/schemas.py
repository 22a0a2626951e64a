"""JSON Schema (2020-12) of every record that is read or written as a file.

Pure. Generated from the types that decode, so what a schema says and what we take cannot drift apart.
`docs/generate_schemas.py` writes them to docs/reference/schemas, and a directive holds the one its answer
must match. Rules between fields are not in a schema: see `contracts.rules.format_rules`.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from signoff.domain.evidence.receipts import Receipt
from signoff.domain.evidence.verdict import Verdict
from signoff.domain.evidence.verification import Verification
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.certificate import Certificate
from signoff.domain.run.directives import Directive, EvaluateAnswer, PlanAnswer, WorkAnswer
from signoff.domain.run.events import Event
from signoff.domain.run.halts import Halt
from signoff.domain.run.ledger import LedgerRecord
from signoff.domain.state_file.work_claims import (
    ChangesClaim,
    PlanClaim,
    RefinedPrompt,
    ReviewClaim,
    TestsClaim,
)
from signoff.domain.state_file.work_slices import state_shape
from signoff.domain.work.checks import Check
from signoff.domain.work.clauses import Clause
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import Settings
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.domain.work.ticket import Ticket

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

PUBLIC: Final[Mapping[str, Any]] = {
    "cassette": Cassette,
    "certificate": Certificate,
    "check": Check,
    "clause": Clause,
    "contract": Contract,
    "directive": Directive,
    "evaluate-answer": EvaluateAnswer,
    "event": Event,
    "halt": Halt,
    "ledger-record": LedgerRecord,
    "plan-answer": PlanAnswer,
    "receipt": Receipt,
    "settings": Settings,
    "spec": Spec,
    "sprint": Sprint,
    "ticket": Ticket,
    "verdict": Verdict,
    "verification": Verification,
    "work-answer": WorkAnswer,
    "work-changes": ChangesClaim,
    "work-input": RefinedPrompt,
    "work-plan": PlanClaim,
    "work-state": state_shape(),
    "work-tests": TestsClaim,
    "work-verify": ReviewClaim,
}
"""The records whose shape others may rely on, by the name of their schema."""


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a public record.

    What is kept byte for byte (`msgspec.Raw`, such as a cassette's answers) is any value here: it has a
    schema of its own.
    """
    return {
        "$schema": DIALECT,
        "$id": f"urn:signoff:schema:{name}:1",
        "title": name,
        **_nulls_last(msgspec.json.schema(PUBLIC[name], schema_hook=_any_value)),
    }


def schema_file(name: str) -> bytes:
    """Return the schema as the bytes of its file. The same types give the same bytes."""
    return (json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n").encode()


def _any_value(kind: type) -> dict[str, Any]:
    """Let what is kept as it came be any value."""
    if kind is object:
        return {"description": "any value, kept as it came"}  # an empty schema is refused
    raise NotImplementedError


def _nulls_last(part: Any) -> Any:
    """Put null last among alternatives: releases of msgspec order them differently."""
    if isinstance(part, dict):
        return {key: _nulls_last(value) for key, value in part.items()}
    if isinstance(part, list):
        return sorted((_nulls_last(value) for value in part), key=lambda value: value == {"type": "null"})
    return part
