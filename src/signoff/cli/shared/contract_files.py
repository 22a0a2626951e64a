"""Contracts that something is to be done with: read, judged, and refused where they must not be used."""

import os
from typing import NamedTuple

from signoff.cli.shared.files import read_file
from signoff.contracts.files.contract_file_check import ContractJudged, judge_contract
from signoff.contracts.files.contract_seal import SealCode
from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import Contract
from signoff.domain.work.ticket import Ticket
from signoff.specs.sprint_tickets import as_proposed, ticket_for


def usable(path: str, data: bytes, *, plan: bytes | None = None) -> ContractJudged:
    """Judge a contract that is to be used. Raises if it must not be."""
    judged = judge_contract(data, plan=plan)
    if not judged.document.is_readable:
        raise unusable(path, judged.violations, "contract-unreadable", "cannot be read as a contract")
    if judged.is_refused:
        wrong = [v for v in judged.violations if v.code in (SealCode.SEAL_BROKEN, SealCode.PLAN_DRIFTED)]
        raise ConflictError(
            f"{path} must not be used: {wrong[-1].message}", slug=wrong[-1].code, fix=wrong[-1].fix
        )
    if judged.document.value is None:
        raise unusable(path, judged.violations, "contract-invalid", "is not a contract")
    return judged


def contract_of(judged: ContractJudged, path: str) -> Contract:
    """Return the contract. Raises for a sprint contract, which has no tasks and no checks to work with."""
    if isinstance(judged.document.value, Contract):
        return judged.document.value
    raise ConfigError(
        f"{path} is a sprint contract",
        slug="sprint-has-no-checks",
        why="it says in words what is wanted; there is no task and no check in it",
        fix="have a plan made of it, and compile that",
    )


class Given(NamedTuple):
    """A contract that is to be delivered as it is, and the ticket it stands for where there is no other."""

    raw: bytes
    ticket: Ticket


def read_given(path: str, plan: str | None = None) -> Given:
    """Read a contract that a run is to start from. Raises if it breaks any rule."""
    data = read_file(path)
    judged = usable(path, data, plan=read_file(plan) if plan else None)
    contract = contract_of(judged, path)
    if plan and judged.drift is None:
        raise ConflictError(
            f"{path} does not say which plan it was compiled from",
            slug="plan-hash-missing",
            why=f"without source_plan_hash it is unknown whether {plan} changed since",
            fix=f"`signoff contract compile {plan} -o {path} --refresh` records it; or leave --plan out",
        )
    if not judged.ok:
        raise unusable(path, judged.violations, "contract-invalid", "breaks the rules of a contract")
    name = os.path.basename(path).removesuffix(".json")
    return Given(as_proposed(data, contract), ticket_for(contract, name))


def unusable(path: str, violations: tuple[Violation, ...], slug: str, what: str) -> ConfigError:
    """Return the error for a file that cannot be used, with the first of what is wrong with it."""
    wrong = [violation for violation in violations if violation.severity is Severity.ERROR]
    first = next(iter(wrong), None)
    why = f"{first.path or '/'}: {first.message}" if first else ""
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return ConfigError(f"{path} {what}", slug=slug, why=why + more, fix=first.fix if first else "")
