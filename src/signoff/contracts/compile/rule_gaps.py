"""The rules of the format, asked of a compiled contract: what breaks one is a gap of its plan. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.contracts.compile.plan_gaps import GapCode, PlanGap
from signoff.contracts.rules.format_rules import ContractCode, check_contract
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.decode import convert

_SAID_BY_THE_READER: Final = frozenset({1, 3, 6, 9, 10})
"""Rules whose breach the reader of the plan finds itself, at a more exact line."""

_WITHOUT_NUMBER: Final = frozenset(
    {
        ContractCode.NOT_POSITIVE,
        ContractCode.BAD_TIMESTAMP,
        ContractCode.PATH_ESCAPE,
        ContractCode.BAD_REGEX,
        ContractCode.BAD_CLAUSE_ID,
        ContractCode.DUPLICATE_CLAUSE_ID,
    }
)
"""What has no number and would all the same keep the checks of the contract from being run, or its shape
from being right. How precise the plan is, `contract check` judges."""


def rule_gaps(contract: JsonObject, lines: Mapping[str, int]) -> Iterator[PlanGap]:
    """Yield a gap for each error, at the line of its check or task, or at line 1."""
    value, violations = convert(contract, Contract)
    if value is not None:
        found = check_contract(value, ContractPolicy.STRICT)
        violations = tuple(v for v in found if v.rule is not None or v.code in _WITHOUT_NUMBER)
    for violation in violations:
        if violation.severity is Severity.ERROR and not _is_said(violation, contract, lines):
            message = f"{violation.path}: {violation.message}"
            yield PlanGap(_line(violation, lines), GapCode.BREAKS_A_RULE, message, violation.fix)


def _is_said(violation: Violation, contract: JsonObject, lines: Mapping[str, int]) -> bool:
    """Check whether the plan reader reports it: a rule of its own, the phase, or a block without its path."""
    if violation.rule in _SAID_BY_THE_READER or violation.path == "/phase":
        return True
    is_path_of_block = violation.path.removesuffix("/path") in lines
    return (
        violation.code == ContractCode.PATH_ESCAPE and is_path_of_block and not _at(violation.path, contract)
    )


def _at(pointer: str, document: object) -> object:
    found = document
    for step in pointer.split("/")[1:]:
        match found:
            case dict():
                found = found.get(step)
            case list():
                found = found[int(step)]
    return found


def _line(violation: Violation, lines: Mapping[str, int]) -> int:
    path = violation.path
    while path and path not in lines:
        path = path.rpartition("/")[0]
    return lines.get(path, 1)
