"""The rules of the format, asked of a compiled contract: what breaks one is a gap of its plan. Pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.compiling.gaps import Gap, GapCode
from signoff.core.contract_rules import check_contract
from signoff.core.decode import convert
from signoff.core.formats.spelling import JsonObject
from signoff.domain.contract import Contract, Policy
from signoff.domain.violations import Severity, Violation

_SAID_BY_THE_READER: Final = frozenset({1, 3, 6, 9, 10})
"""Rules whose breach the reader of the plan finds itself, at a more exact line; so it does for the phase."""


def rule_gaps(contract: JsonObject, lines: Mapping[str, int]) -> Iterator[Gap]:
    """Give a gap for each error, at the line of the check or task concerned, or at 1."""
    value, violations = convert(contract, Contract)
    for violation in violations if value is None else check_contract(value, Policy.SEED):
        is_said = violation.rule in _SAID_BY_THE_READER or violation.path == "/phase"
        if violation.severity is Severity.ERROR and not is_said:
            message = f"{violation.path}: {violation.message}"
            yield Gap(_line(violation, lines), GapCode.BREAKS_A_RULE, message, violation.fix)


def _line(violation: Violation, lines: Mapping[str, int]) -> int:
    path = violation.path
    while path and path not in lines:
        path = path.rpartition("/")[0]
    return lines.get(path, 1)
