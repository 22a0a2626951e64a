"""Run every check of a contract here and now, on the files as they lie there, and keep what was seen.

The person's own command on the person's own files: nothing is sealed, journalled or signed off by it. Results
are keyed to the tree and the contract they were seen on.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from signoff.contracts.clauses.contract_clauses import contract_clauses
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TaskId, TreeId
from signoff.domain.evidence.receipts import FailureReason, Receipt, Result
from signoff.domain.evidence.verification import ReviewItem, Tails, Verification, VerifiedClause
from signoff.domain.machine.trees import Capture, ChangeKind
from signoff.domain.ports import CheckRunner, Clock, Processes
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.directives import Facts
from signoff.domain.work.check_kinds import Examiner, examiner_of
from signoff.domain.work.checks import Check, Citation, ContractCheck, Place
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import Settings
from signoff.judges.scope.non_goal_check import ComparedTrees, judge_predicate

_PARALLEL = 4
_MOST_CHANGED = 20


class VerifiedFolder(ComparedTrees, Protocol):
    """A folder as it lies there."""

    @property
    def root(self) -> str:
        """Absolute path of its top."""
        ...

    @property
    def logs(self) -> str:
        """A folder for what checks say."""
        ...

    def capture(self, without: tuple[str, ...] = ()) -> Capture:
        """Return the files as a tree."""
        ...

    def without(self, tree: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return a tree less these files."""
        ...

    def tree_at(self, revision: str) -> TreeId:
        """Return the tree of a revision."""
        ...

    def head(self) -> TreeId | None:
        """Return the tree of the last commit, or None before the first one."""
        ...


class CheckSite(NamedTuple):
    """Where checks run here and now, and with what."""

    place: VerifiedFolder
    checks: CheckRunner
    processes: Processes
    clock: Clock
    settings: Settings
    facts: Facts
    tail_of: Callable[[str], str]
    """Returns the end of a log, without anything that looks like a secret."""


class VerificationRequest(NamedTuple):
    """What is to be verified."""

    contract: Contract
    digest: Digest
    task: TaskId | None = None
    citations: tuple[Citation, ...] = ()
    base: str | None = None
    """The revision that non-goals are compared with. The last commit if not given."""
    without: tuple[str, ...] = ()
    """Files that are not part of the tree: what verifying itself writes."""
    uncompared: tuple[str, ...] = ()
    """Files that are no part of a change: a non-goal that quotes a word must not find itself."""


class _VerificationWork(NamedTuple):
    clause: Clause
    run: Callable[[], Receipt | None]


def verify_contract(site: CheckSite, wanted: VerificationRequest) -> Verification:
    """Run the checks in parallel and return every result. A check that fails does not stop the others."""
    began = site.clock.now()
    before = site.place.capture(wanted.without)
    base = _base(site, wanted, before.tree)
    work, review = _split_clauses(site, wanted, before.tree, base)
    receipts = _run_all(site, work)
    clauses = tuple(_verified(site, one.clause, receipt) for one, receipt in zip(work, receipts, strict=True))
    after = site.place.capture(wanted.without)
    unreadable = tuple(f"{problem.path}: {problem.kind}" for problem in before.problems)
    changes = site.place.changes(before.tree, after.tree)
    # New files are what builds and caches leave; a file that was there is what the results are about.
    changed = tuple(change.path for change in changes)
    if len(changed) > _MOST_CHANGED:
        changed = (*changed[:_MOST_CHANGED], f"and {len(changed) - _MOST_CHANGED} more")
    is_loose = bool(unreadable) or any(change.kind is not ChangeKind.ADDED for change in changes)
    # Any failure fails the whole, and what could not be judged leaves it open.
    results = [clause.result for clause in clauses]
    unfailed = Result.PARTIAL if is_loose or Result.PARTIAL in results else Result.PASS
    return Verification(
        verification_result=Result.FAIL if Result.FAIL in results else unfailed,
        contract=wanted.digest,
        tree=before.tree,
        task=wanted.task,
        base=base,
        started_at=began,
        ended_at=site.clock.now(),
        clauses=clauses,
        needs_review=review,
        unreadable=unreadable,
        changed=changed,
    )


def _base(site: CheckSite, wanted: VerificationRequest, tree: TreeId) -> TreeId | None:
    """Return what non-goals are compared with, or None if nothing was named and nothing has changed."""
    if wanted.base is not None:
        return site.place.tree_at(wanted.base)
    head, aside = site.place.head(), (*wanted.without, *wanted.uncompared)
    if head is None or site.place.without(head, aside) == site.place.without(tree, aside):
        return None
    return head


def run_check(site: CheckSite, check: ContractCheck, citations: tuple[Citation, ...]) -> VerifiedClause:
    """Run one check that stands in no contract. Its citations need not name a clause."""
    clause = Clause(id=ClauseId("check"), kind=ClauseKind.CHECK, text="", check=check)
    tree = site.place.capture().tree
    spoken = tuple(replace(citation, clause="") for citation in citations)
    (receipt,) = _run_all(
        site, [_VerificationWork(clause, partial(_run, site, clause, check, tree, None, spoken))]
    )
    return _verified(site, clause, receipt)


def _split_clauses(
    site: CheckSite, wanted: VerificationRequest, tree: TreeId, base: TreeId | None
) -> tuple[list[_VerificationWork], tuple[ReviewItem, ...]]:
    """Split the clauses into those that a check here can show and those that a person must look at."""
    work: list[_VerificationWork] = []
    review: list[ReviewItem] = []
    asked = tuple(_requested_clauses(wanted))
    for clause in asked:
        if clause.check is None:
            if not clause.proven_by:
                review.append(_review_item(clause, "nothing that can be run shows it"))
            continue
        match examiner_of(clause.check):
            case Examiner.DIFF:
                if base is None:
                    why = "there is no change to look at: name what to compare with by --base REV"
                    review.append(_review_item(clause, why))
                else:
                    work.append(_comparison(site, clause, clause.check, tree, base, wanted))
            case Examiner.RUNNER:
                run = partial(_run, site, clause, clause.check, tree, wanted.digest, wanted.citations)
                work.append(_VerificationWork(clause, run))
            case Examiner.COMPARISON:
                raise AssertionError(f"{clause.id} is no clause of a contract")
    if not work:
        raise ConfigError(
            "there is nothing to run",
            slug="nothing-to-run",
            why="no clause that was asked for has a check",
            fix="add checks to `verification` of the tasks",
        )
    return work, (*review, *_unsettled(asked, {one.clause.id for one in work}))


def _unsettled(clauses: tuple[Clause, ...], shown: set[ClauseId]) -> list[ReviewItem]:
    """Return the clauses that depend, directly or through others, on a clause that does not run here.

    Clauses are settled round by round, each as soon as everything it depends on is settled.
    """
    dependent = [clause for clause in clauses if clause.check is None and clause.proven_by]
    while settled := [clause for clause in dependent if shown.issuperset(clause.proven_by)]:
        shown |= {clause.id for clause in settled}
        dependent = [clause for clause in dependent if clause.id not in shown]
    return [
        _review_item(clause, f"it depends on {next(name for name in clause.proven_by if name not in shown)}")
        for clause in dependent
    ]


def _requested_clauses(wanted: VerificationRequest) -> Iterable[Clause]:
    clauses = contract_clauses(wanted.contract)
    if wanted.task is None:
        return clauses
    known = [task.id for task in wanted.contract.tasks]
    if wanted.task not in known:
        raise UsageError(
            f"there is no task {wanted.task}", slug="task-unknown", fix=f"one of {', '.join(known)}"
        )
    return [clause for clause in clauses if clause.task == wanted.task]


def _comparison(
    site: CheckSite, clause: Clause, check: Check, tree: TreeId, base: TreeId, wanted: VerificationRequest
) -> _VerificationWork:
    aside = (*wanted.without, *wanted.uncompared)

    def run() -> Receipt | None:
        order = _order(site, clause, check, site.place.without(tree, aside), wanted.digest, ())
        seen = judge_predicate(site.place, site.checks, site.clock, order, site.place.without(base, aside))
        return None if seen is None else replace(seen, observation=replace(seen.observation, tree=tree))

    return _VerificationWork(clause, run)


def _run(
    site: CheckSite,
    clause: Clause,
    check: Check,
    tree: TreeId,
    contract: Digest | None,
    citations: tuple[Citation, ...],
) -> Receipt | None:
    seen = site.checks.run(_order(site, clause, check, tree, contract, citations))
    return None if seen is None else seen.receipt


def _order(
    site: CheckSite,
    clause: Clause,
    check: Check,
    tree: TreeId,
    contract: Digest | None,
    citations: tuple[Citation, ...],
) -> CheckOrder:
    settings = site.settings.checks
    return CheckOrder(
        key=EffectKey(f"verify/{clause.id}"),
        clause=clause.id,
        check=check,
        place=Place.FINAL,
        tree=tree,
        contract=contract,
        folder=site.place.root,
        logs=_logs(site, clause),
        timeout_s=settings.timeout_s,
        test_command=site.facts.commands.get("test", ()),
        test_report=settings.test_report,
        citations=citations,
        sandbox=site.settings.sandbox,
        in_place=True,
    )


def _logs(site: CheckSite, clause: Clause) -> str:
    # No clause id holds a percent sign, so two ids never share a name.
    return f"{site.place.logs}/{clause.id.replace('/', '%')}"


def _run_all(site: CheckSite, work: list[_VerificationWork]) -> list[Receipt]:
    with ThreadPoolExecutor(_PARALLEL) as pool:
        running = [pool.submit(one.run) for one in work]
        try:
            receipts = [future.result() for future in running]
        except BaseException:  # Ctrl-C above all: what still runs must not outlive us
            for future in running:
                future.cancel()
            site.processes.stop_all()
            raise
    if any(receipt is None for receipt in receipts):
        raise KeyboardInterrupt
    return [receipt for receipt in receipts if receipt is not None]


def _verified(site: CheckSite, clause: Clause, receipt: Receipt) -> VerifiedClause:
    seen = receipt.observation
    if seen.failure_reason is FailureReason.FILE_NOT_FOUND:
        # In a tree the engine built this is a fact about the work. What belongs here, only the person knows.
        seen = replace(seen, result=Result.PARTIAL, failure_reason=FailureReason.EXECUTION_ERROR)
        receipt = replace(receipt, observation=seen)
    passed = seen.result is Result.PASS
    logs = _logs(site, clause)
    return VerifiedClause(
        id=clause.id,
        task=clause.task,
        text=clause.text,
        result=seen.result,
        failure_reason=seen.failure_reason,
        detail=seen.detail,
        receipt=receipt,
        output=None
        if passed or not receipt.argv
        else Tails(stdout=site.tail_of(f"{logs}.out"), stderr=site.tail_of(f"{logs}.err")),
    )


def _review_item(clause: Clause, why: str) -> ReviewItem:
    return ReviewItem(id=clause.id, kind=clause.kind, text=clause.text, why=why)
