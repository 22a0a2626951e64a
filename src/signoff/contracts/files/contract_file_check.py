"""Judge a contract file as a whole: shape, rules, seal, plan. Pure, used by every `contract` command."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from msgspec.structs import replace

from signoff.contracts.files.contract_seal import broken_seal, plan_drift
from signoff.contracts.files.document_files import Document, beside, read_contract
from signoff.contracts.files.plan_contract_format import missing_fields
from signoff.contracts.rules.contract_parts import named_files
from signoff.contracts.rules.format_rules import ContractCode, check_contract
from signoff.contracts.rules.sprint_rules import SprintAt, SprintCode, check_sprint, check_sprints
from signoff.domain.base.typed_ids import TaskId
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.checks import ContractCheck
from signoff.domain.work.contract import Contract, ContractPolicy, GeneratedBy, Task
from signoff.domain.work.sprints import Sprint
from signoff.text.json.camel_case import to_snake
from signoff.text.json.decode import Decoded, decode
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.violation_list import shown
from signoff.text.repo_paths import why_outside

_NEEDED_TO_RUN = frozenset(
    {
        ContractCode.PATH_ESCAPE,
        ContractCode.BAD_REGEX,
        ContractCode.BAD_CLAUSE_ID,
        ContractCode.DUPLICATE_CLAUSE_ID,
        ContractCode.UNKNOWN_PROOF,
        ContractCode.CIRCULAR_PROOF,
        ContractCode.NO_TASKS,
    }
)
"""Rules of ours without which its checks cannot be run safely, or their results not be told apart."""

_ALONE: Final = "/tasks/0/verification/0"


class ContractJudged(NamedTuple):
    """A contract file and everything that is wrong with it."""

    document: Document[Contract | Sprint]
    violations: tuple[Violation, ...]
    drift: bool | None = None
    """Whether the plan changed since. None if no plan was given, or the contract has no hash of one."""
    is_refused: bool = False
    """It must not be used at all: unreadable, its seal broken, or its plan changed."""

    @property
    def ok(self) -> bool:
        """Whether nothing stands against it but warnings."""
        return not any(violation.severity is Severity.ERROR for violation in self.violations)


def judge_contract(
    data: bytes,
    policy: ContractPolicy = ContractPolicy.STRICT,
    *,
    plan: bytes | None = None,
    siblings: Callable[[], Iterable[Sprint]] = tuple,
) -> ContractJudged:
    """Return the contract with every violation of its shape, the policy's rules, its seal and its plan.

    `siblings` returns the other sprint contracts, and is called for a sprint alone. Where the shape is wrong,
    the rules are asked about a mended copy, so that one round shows everything.
    """
    document = read_contract(data)
    if not document.is_readable or document.raw is None:
        return ContractJudged(document, document.violations, is_refused=not document.is_readable)
    # A field that the record refuses is an error; one that it passes over is for `strict` to mention.
    found = [
        v
        for v in document.violations
        if policy is ContractPolicy.STRICT
        or not (v.code == DecodeCode.UNKNOWN_FIELD and v.severity is Severity.WARNING)
    ]
    broken = broken_seal(document.raw)
    drifted = None
    if plan is not None:
        # The hash of the plan counts, however its name is spelt and whatever else is wrong with the shape.
        ours = to_snake(document.raw, Contract)
        named = ours.get("source_plan_hash") if isinstance(ours, dict) else None
        drifted = plan_drift(named if isinstance(named, str) else "", plan)
    rules = document.placed(_rules(document, policy, siblings))
    if document.value is None:
        rules = beside(rules, document.violations)
    sealing = document.placed(v for v in (broken, drifted) if v is not None)
    drift = None if plan is None else drifted is not None and drifted.severity is Severity.ERROR
    if drifted is not None and not drift:
        drift = None
    return ContractJudged(
        document, (*found, *rules, *sealing), drift, is_refused=broken is not None or drift is True
    )


def with_link_escapes(judged: ContractJudged, leads_out: Callable[[str], bool]) -> ContractJudged:
    """Add the paths that leave the repository through a link. Only the disk can tell, so the caller looks."""
    contract = judged.document.value
    if not isinstance(contract, Contract):
        return judged
    found = [
        ContractCode.PATH_ESCAPE.found(
            f"{shown(path)} leads out through a link", pointer, fix="name the file itself, below the root"
        )
        for path, pointer in named_files(contract)
        if not why_outside(path) and leads_out(path)
    ]
    return judged._replace(violations=(*judged.violations, *judged.document.placed(found)))


def hindrances(judged: ContractJudged) -> tuple[Violation, ...]:
    """Return what keeps the checks of a contract from being run: the shape, the numbered rules, and safety.

    Precision is not asked for here: whether a plan was written well and whether its checks pass are two
    questions.
    """
    return tuple(
        violation
        for violation in judged.violations
        if violation.severity is Severity.ERROR
        and (judged.document.value is None or violation.rule is not None or violation.code in _NEEDED_TO_RUN)
    )


def read_check(data: bytes) -> Decoded[ContractCheck]:
    """Parse a check that stands alone. It must keep the rules that a contract needs to be run."""
    found: Decoded[ContractCheck] = decode(data, ContractCheck)
    if found.value is None:
        return found
    wrong = tuple(
        replace(violation, path=violation.path.removeprefix(_ALONE))
        for violation in check_contract(_contract_around(found.value))
        if violation.path.startswith(_ALONE)
        and (violation.rule is not None or violation.code in _NEEDED_TO_RUN | {ContractCode.NOT_POSITIVE})
        and violation.severity is Severity.ERROR
    )
    return Decoded(None if wrong else found.value, (*found.violations, *wrong))


def _contract_around(check: ContractCheck) -> Contract:
    task = Task(id=TaskId("T1"), title="", wave=1, verification=(check,))
    return Contract(
        version=1,
        phase=1,
        goal="",
        why="",
        generated_at="",
        generated_by=GeneratedBy.MANUAL,
        tasks=(task,),
        success_criteria=(),
    )


def _rules(
    document: Document[Contract | Sprint], policy: ContractPolicy, siblings: Callable[[], Iterable[Sprint]]
) -> tuple[Violation, ...]:
    given = frozenset(document.raw or ())
    match document.mended if document.value is None else document.value:
        case Contract() as contract:
            missing: tuple[Violation, ...] = ()
            # Each field that a plan contract must have. Ours may leave them out.
            if policy is ContractPolicy.SEED:
                ours = to_snake(document.raw, Contract) if document.is_camel else document.raw
                missing = tuple(missing_fields(ours)) if isinstance(ours, dict) else ()
            return (*missing, *check_contract(contract, policy, given))
        case Sprint() as sprint:
            return (*check_sprint(sprint, policy, given), *_among_siblings(sprint, policy, tuple(siblings())))
        case None:
            return ()


def _among_siblings(sprint: Sprint, policy: ContractPolicy, siblings: tuple[Sprint, ...]) -> list[Violation]:
    """Judge how a sprint fits in with the others. What is wrong between two others is left to them."""
    others = [one for one in siblings if one.spec_id == sprint.spec_id]
    if policy is ContractPolicy.SEED:
        return []
    if not others:
        return [_not_looked_up(n, name) for n, name in enumerate(sprint.depends_on)]
    # Of two that clash the later one is named, and of a cycle the edge that leads back to where it was
    # entered: so ours comes last, and those it waits for come first.
    others.sort(key=lambda other: other.contract_id not in sprint.depends_on)
    placed = [*(SprintAt(other, f"/siblings/{n}") for n, other in enumerate(others)), SprintAt(sprint, "")]
    return [v for v in check_sprints(placed) if not v.path.startswith("/siblings/")]


def _not_looked_up(number: int, name: str) -> Violation:
    return SprintCode.UNKNOWN_SPRINT.found(
        f"{shown(name)} could not be looked up: no other sprint of this spec lies beside it",
        f"/depends_on/{number}",
        fix="check it where all of its sprints are",
        severity=Severity.WARNING,
    )
