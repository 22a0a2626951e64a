"""Judge a contract against the evidence gathered for it.

Pure: no clock, no files, no processes. The engine gathers evidence through the checks room and asks
`judge`; verifying a report asks the same function, so any past verdict can be computed again.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from signoff.contracts.clauses.contract_clauses import claims_something_new
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey
from signoff.domain.evidence.receipts import Observation, Result
from signoff.domain.evidence.verdict import ClauseVerdict, Objection, Standing, Trees, Verdict, VerdictOutcome
from signoff.domain.run.events import How, Waived
from signoff.domain.work.check_kinds import selected_tests
from signoff.domain.work.checks import Place
from signoff.domain.work.clauses import Clause, ClauseKind


class Seen(NamedTuple):
    """An observation, and the key of the receipt that records it."""

    key: EffectKey
    observation: Observation


Evidence = Mapping[tuple[ClauseId, Place], Seen]

# What a clause that depends on others takes over, worst first.
_WORST_FIRST = (
    Standing.FAILED,
    Standing.VACUOUS,
    Standing.UNPROVEN,
    Standing.NOT_JUDGED,
    Standing.WAIVED,
    Standing.PROVEN,
)


def judge(
    clauses: Iterable[Clause],
    seen: Iterable[Seen],
    trees: Trees,
    waivers: Iterable[Waived] = (),
    contract: Digest | None = None,
    given: Iterable[ClauseVerdict] = (),
    objections: Iterable[Objection] = (),
) -> Verdict:
    """Return the verdict for the trees of this run and the contract that was sealed.

    An observation speaks for the tree whose id it carries and for no other, so an agent that edits
    after its tests pass has proved nothing about what it hands over. It also speaks only for the contract
    it was made under. Where a clause was checked twice on one tree, the later observation stands.
    `given` holds rows that the flow decided, such as how each task ended. An objection to this tree makes its
    clause failed, whatever it was. The absence of objections makes no clause better.
    """
    evidence = _evidence(seen, trees, contract)
    waived = {w.clause: w for w in waivers if w.how is How.TERMINAL and w.tree == trees.final}
    rows: dict[ClauseId, ClauseVerdict] = {}
    ordered = tuple(clauses)
    known = {clause.id: clause for clause in ordered}
    decided = {row.clause: row for row in given}
    against = {o.clause: o for o in objections if trees.final is not None and o.tree == trees.final}
    for clause in ordered:
        if clause.check is not None or not clause.proven_by:
            row = decided.get(clause.id) or _own_standing(clause, evidence)
            rows[clause.id] = _with_waiver(_lowered(row, against), waived)
    dependent = [clause for clause in ordered if clause.check is None and clause.proven_by]
    # Those whose clauses are known come first. A circle, which no contract may have, is unproven.
    while dependent:
        waiting = {clause.id for clause in dependent}
        next_ones = [clause for clause in dependent if waiting.isdisjoint(clause.proven_by)]
        for clause in next_ones or dependent:
            row = _lowered(_standing_from_others(clause, rows, known), against)
            rows[clause.id] = _with_waiver(row, waived)
        dependent = [clause for clause in dependent if clause.id not in rows]
    final = tuple(rows[clause.id] for clause in ordered)
    return Verdict(outcome=_outcome(final), trees=trees, clauses=final)


def _evidence(seen: Iterable[Seen], trees: Trees, contract: Digest | None) -> Evidence:
    tree_of = {Place.FINAL: trees.final, Place.BASE: trees.base, Place.BASE_WITH_TESTS: trees.base_with_tests}
    latest: dict[tuple[ClauseId, Place], Seen] = {}
    for item in seen:
        observation = item.observation
        if observation.contract is not None and observation.contract != contract:
            continue
        if observation.tree == tree_of.get(observation.place):
            latest[observation.clause, observation.place] = item
    return latest


def _own_standing(clause: Clause, evidence: Evidence) -> ClauseVerdict:
    if clause.check is None:
        return _row(clause, Standing.UNPROVEN, "nothing the engine can run shows it; a person must decide")
    green = evidence.get((clause.id, Place.FINAL))
    if green is None:
        return _row(clause, Standing.UNPROVEN, "no receipt on the result")
    match green.observation.result:
        case Result.FAIL:
            return _row(clause, Standing.FAILED, green.observation.detail, green)
        case Result.PARTIAL:
            return _row(clause, Standing.NOT_JUDGED, green.observation.detail, green)
        case Result.PASS:
            return _passed_on_final(clause, green, evidence)


def _passed_on_final(clause: Clause, green: Seen, evidence: Evidence) -> ClauseVerdict:
    if clause.red_on is None:
        return _row(clause, Standing.PROVEN, green.observation.detail, green)
    red = evidence.get((clause.id, clause.red_on))
    if red is None:
        return _row(clause, Standing.UNPROVEN, f"never seen to fail on {clause.red_on}", green)
    if red.observation.tree == green.observation.tree:
        why = f"{clause.red_on} and final are the same tree; nothing was changed"
        return _row(clause, Standing.UNPROVEN, why, red, green)
    match red.observation.result:
        case Result.PASS:
            why = f"it passes on {clause.red_on} already, so it says nothing about the change"
            return _row(clause, Standing.VACUOUS, why, red, green)
        case Result.PARTIAL:
            why = f"could not be run on {clause.red_on}: {red.observation.detail}"
            return _row(clause, Standing.NOT_JUDGED, why, red, green)
        case Result.FAIL if not _is_red(clause, red.observation):
            why = f"on {clause.red_on} no test of it failed: {red.observation.detail}"
            return _row(clause, Standing.UNPROVEN, why, red, green)
        case Result.FAIL:
            return _row(clause, Standing.PROVEN, f"red on {clause.red_on}, green on final", red, green)


def _is_red(clause: Clause, seen: Observation) -> bool:
    """Check whether a clause failed for its own reason: a test run in which no test failed is only broken."""
    if clause.check is None or selected_tests(clause.check) is None:
        return True
    return seen.counts is not None and seen.counts.failed + seen.counts.errors > 0


def _standing_from_others(
    clause: Clause, rows: Mapping[ClauseId, ClauseVerdict], known: Mapping[ClauseId, Clause]
) -> ClauseVerdict:
    """Judge a clause that has no check of its own by the clauses that it names.

    It gets the worst standing among them. If all are proven, a criterion still needs one that claims
    something new, or it is vacuous.
    """
    missing = [c for c in clause.proven_by if c not in rows]
    if missing:
        why = f"depends on {missing[0]}, which is no check of this contract"
        return _row(clause, Standing.UNPROVEN, why)
    backing = [rows[c] for c in clause.proven_by]
    worst = min(backing, key=lambda row: _WORST_FIRST.index(row.standing))
    standing, why = worst.standing, f"depends on {worst.clause}, which is {worst.standing}"
    if standing is Standing.PROVEN:
        why = "shown by " + ", ".join(clause.proven_by)
        is_criterion = clause.kind is ClauseKind.CRITERION and not clause.guard
        if is_criterion and not claims_something_new(clause, known):
            standing = Standing.VACUOUS
            why = (
                "it is only backed by checks that passed on the base already; add a check that fails there, "
                "or mark it `guard: true`"
            )
    keys = tuple(dict.fromkeys(key for row in backing for key in row.receipts))
    return ClauseVerdict(
        clause=clause.id, standing=standing, why=why, receipts=keys, required=clause.required
    )


def _row(clause: Clause, standing: Standing, why: str, *seen: Seen) -> ClauseVerdict:
    return ClauseVerdict(
        clause=clause.id,
        standing=standing,
        why=why,
        receipts=tuple(item.key for item in seen),
        required=clause.required,
    )


def _lowered(row: ClauseVerdict, against: Mapping[ClauseId, Objection]) -> ClauseVerdict:
    objection = against.get(row.clause)
    if objection is None or row.standing is Standing.FAILED:
        return row
    return replace(row, standing=Standing.FAILED, why=f"an evaluator's finding stands: {objection.why}")


def _with_waiver(row: ClauseVerdict, waived: Mapping[ClauseId, Waived]) -> ClauseVerdict:
    waiver = waived.get(row.clause)
    if waiver is None or row.standing is Standing.PROVEN:
        return row
    why = f"waived by {waiver.by}: {waiver.reason} (was {row.standing}: {row.why})"
    return replace(row, standing=Standing.WAIVED, why=why)


def _outcome(rows: tuple[ClauseVerdict, ...]) -> VerdictOutcome:
    standings = {row.standing for row in rows if row.required}
    if not standings or standings & {Standing.FAILED, Standing.VACUOUS, Standing.UNPROVEN}:
        return VerdictOutcome.REFUSED
    if Standing.NOT_JUDGED in standings:
        return VerdictOutcome.NOT_JUDGED
    return VerdictOutcome.SIGNED_OFF
