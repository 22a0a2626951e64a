"""A verdict is computed from clauses, observations and tree ids, and from nothing else."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from signoff.delivery.verdict.judge import Seen, judge
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.evidence.receipts import Counts, Observation, Result
from signoff.domain.evidence.verdict import ClauseVerdict, Objection, Standing, Trees, VerdictOutcome
from signoff.domain.run.events import How, Waived
from signoff.domain.work.checks import FileExists, Place, RunTests
from signoff.domain.work.clauses import Clause, ClauseKind

BASE, LAID, OLD, NEW = (TreeId(name) for name in ("base", "laid", "old", "new"))
TREES = Trees(base=BASE, final=NEW, base_with_tests=LAID)
CLAIM = Clause(
    id=ClauseId("claim"),
    kind=ClauseKind.CHECK,
    text="it greets",
    check=FileExists(path="greet.py"),
    red_on=Place.BASE,
)
GUARD = Clause(id=ClauseId("guard"), kind=ClauseKind.GATE, text="tests", check=FileExists(path="x"))


def seen(
    clause: Clause, result: Result, place: Place = Place.FINAL, tree: TreeId = NEW, number: int = 0
) -> Seen:
    observation = Observation(clause=clause.id, place=place, tree=tree, result=result, detail="it says so")
    return Seen(EffectKey(f"{clause.id}/{place}/{number}"), observation)


def red(clause: Clause, result: Result = Result.FAIL) -> Seen:
    return seen(clause, result, Place.BASE, BASE)


def standing(clause: Clause, *evidence: Seen, waivers: tuple[Waived, ...] = ()) -> Standing:
    return judge([clause], evidence, TREES, waivers).clauses[0].standing


def waiver(how: How = How.TERMINAL, tree: TreeId = NEW) -> Waived:
    return Waived(clause=CLAIM.id, reason="known", by="Ada", how=how, tree=tree)


def test_red_on_base_and_green_on_final_is_proven() -> None:
    assert standing(CLAIM, red(CLAIM), seen(CLAIM, Result.PASS)) is Standing.PROVEN


def test_a_pass_on_an_earlier_tree_proves_nothing() -> None:
    assert standing(CLAIM, red(CLAIM), seen(CLAIM, Result.PASS, tree=OLD)) is Standing.UNPROVEN


def test_a_pass_that_names_the_right_tree_but_another_place_proves_nothing() -> None:
    elsewhere = seen(CLAIM, Result.PASS, Place.BASE_WITH_TESTS, NEW)

    assert standing(CLAIM, red(CLAIM), elsewhere) is Standing.UNPROVEN


def test_a_check_that_passes_on_the_base_already_is_vacuous() -> None:
    assert standing(CLAIM, red(CLAIM, Result.PASS), seen(CLAIM, Result.PASS)) is Standing.VACUOUS


def test_a_claim_that_was_never_seen_red_is_unproven() -> None:
    assert standing(CLAIM, seen(CLAIM, Result.PASS)) is Standing.UNPROVEN


def test_a_guard_needs_no_red() -> None:
    assert standing(GUARD, seen(GUARD, Result.PASS)) is Standing.PROVEN


def test_what_could_not_run_is_neither_failed_nor_passed() -> None:
    assert standing(CLAIM, red(CLAIM), seen(CLAIM, Result.PARTIAL)) is Standing.NOT_JUDGED
    assert standing(CLAIM, red(CLAIM, Result.PARTIAL), seen(CLAIM, Result.PASS)) is Standing.NOT_JUDGED


def test_of_two_observations_on_one_tree_the_later_one_stands() -> None:
    passed, failed = seen(GUARD, Result.PASS), seen(GUARD, Result.FAIL, number=1)

    assert standing(GUARD, passed, failed) is Standing.FAILED
    assert standing(GUARD, failed, passed) is Standing.PROVEN


def test_only_proven_or_waived_clauses_let_a_delivery_through() -> None:
    """The whole table: every pair of results a claim can have on base and on final."""
    for before, after in product((None, *Result), repeat=2):
        evidence = [red(CLAIM, before)] if before else []
        evidence += [seen(CLAIM, after)] if after else []

        outcome = judge([CLAIM], evidence, TREES).outcome

        proven = before is Result.FAIL and after is Result.PASS
        assert (outcome is VerdictOutcome.SIGNED_OFF) == proven


def test_a_criterion_takes_over_the_worst_of_what_it_leans_on() -> None:
    criterion = Clause(
        id=ClauseId("criterion"),
        kind=ClauseKind.CRITERION,
        text="people are greeted",
        proven_by=(CLAIM.id, GUARD.id),
    )
    evidence = (red(CLAIM), seen(CLAIM, Result.PASS), seen(GUARD, Result.FAIL))

    rows = judge([criterion, CLAIM, GUARD], evidence, TREES).clauses

    assert rows[0].standing is Standing.FAILED


def test_a_criterion_that_leans_on_nothing_or_on_nobody_is_unproven() -> None:
    alone = Clause(id=ClauseId("alone"), kind=ClauseKind.CRITERION, text="nice")
    dangling = Clause(
        id=ClauseId("dangling"), kind=ClauseKind.CRITERION, text="nice", proven_by=(ClauseId("nobody"),)
    )

    assert standing(alone) is Standing.UNPROVEN
    assert standing(dangling) is Standing.UNPROVEN


def test_an_optional_clause_does_not_block_and_a_required_one_does() -> None:
    optional = Clause(id=ClauseId("nice"), kind=ClauseKind.CRITERION, text="nice", required=False)
    evidence = (red(CLAIM), seen(CLAIM, Result.PASS))

    assert judge([CLAIM, optional], evidence, TREES).outcome is VerdictOutcome.SIGNED_OFF
    assert judge([CLAIM, GUARD], evidence, TREES).outcome is VerdictOutcome.REFUSED


def test_no_clauses_at_all_is_not_a_pass() -> None:
    assert judge([], [], TREES).outcome is VerdictOutcome.REFUSED


def test_a_waiver_typed_on_a_terminal_lifts_the_clause_and_what_leans_on_it() -> None:
    criterion = Clause(
        id=ClauseId("criterion"), kind=ClauseKind.CRITERION, text="greets", proven_by=(CLAIM.id,)
    )

    verdict = judge([CLAIM, criterion], [seen(CLAIM, Result.FAIL)], TREES, [waiver()])

    assert [row.standing for row in verdict.clauses] == [Standing.WAIVED, Standing.WAIVED]
    assert verdict.outcome is VerdictOutcome.SIGNED_OFF


def test_a_relayed_waiver_and_one_for_another_tree_change_nothing() -> None:
    failed = seen(CLAIM, Result.FAIL)

    assert standing(CLAIM, failed, waivers=(waiver(How.RELAYED),)) is Standing.FAILED
    assert standing(CLAIM, failed, waivers=(waiver(tree=OLD),)) is Standing.FAILED


def test_one_tree_cannot_be_red_and_green() -> None:
    """A check that fails once and then passes on the same files has shown nothing about a change."""
    same = Trees(base=NEW, final=NEW)
    evidence = (seen(CLAIM, Result.FAIL, Place.BASE, NEW), seen(CLAIM, Result.PASS))

    assert judge([CLAIM], evidence, same).clauses[0].standing is Standing.UNPROVEN


def test_a_test_run_in_which_no_test_failed_is_not_red() -> None:
    clause = replace(CLAIM, check=RunTests(select=("tests/test_it.py",)), red_on=Place.BASE_WITH_TESTS)
    green = seen(clause, Result.PASS)
    for counts in (None, Counts(), Counts(collected=2, skipped=2)):
        red = seen(clause, Result.FAIL, Place.BASE_WITH_TESTS, LAID)
        empty = Seen(red.key, replace(red.observation, counts=counts))
        assert standing(clause, empty, green) is Standing.UNPROVEN

    real = Seen(red.key, replace(red.observation, counts=Counts(collected=2, failed=1)))
    assert standing(clause, real, green) is Standing.PROVEN


def test_a_criterion_that_leans_on_guards_alone_is_vacuous_unless_it_says_so() -> None:
    criterion = Clause(
        id=ClauseId("criterion"), kind=ClauseKind.CRITERION, text="greets", proven_by=(GUARD.id,)
    )
    evidence = (seen(GUARD, Result.PASS),)

    assert judge([criterion, GUARD], evidence, TREES).clauses[0].standing is Standing.VACUOUS
    marked = replace(criterion, guard=True)
    assert judge([marked, GUARD], evidence, TREES).clauses[0].standing is Standing.PROVEN


def test_a_criterion_may_lean_on_one_that_comes_later_and_a_circle_is_unproven() -> None:
    def leaning(name: str, *props: str) -> Clause:
        proven_by = tuple(ClauseId(prop) for prop in props)
        return Clause(id=ClauseId(name), kind=ClauseKind.CRITERION, text=name, proven_by=proven_by)

    evidence = (red(CLAIM), seen(CLAIM, Result.PASS))
    chain = [leaning("first", "second"), leaning("second", "claim"), CLAIM]
    circle = [leaning("a", "b"), leaning("b", "a")]

    assert judge(chain, evidence, TREES).outcome is VerdictOutcome.SIGNED_OFF
    assert {row.standing for row in judge(circle, (), TREES).clauses} == {Standing.UNPROVEN}


def test_a_receipt_made_under_another_contract_does_not_count() -> None:
    old = seen(GUARD, Result.PASS)
    other = Seen(old.key, replace(old.observation, contract=Digest("sha256:other")))

    verdict = judge([GUARD], [other], TREES, contract=Digest("sha256:this"))

    assert verdict.clauses[0].standing is Standing.UNPROVEN


def test_optional_clauses_alone_are_not_a_pass() -> None:
    optional = replace(GUARD, required=False)

    assert judge([optional], [seen(optional, Result.PASS)], TREES).outcome is VerdictOutcome.REFUSED


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(Place)), st.sampled_from((BASE, LAID, OLD, NEW)), st.sampled_from(Result)
        ),
        max_size=8,
    )
)
def test_nothing_is_proven_without_a_pass_on_the_final_tree(
    observations: list[tuple[Place, TreeId, Result]],
) -> None:
    evidence = [seen(CLAIM, r, p, t, n) for n, (p, t, r) in enumerate(observations)]

    outcome = judge([CLAIM], evidence, TREES).outcome

    last_green = [r for p, t, r in observations if (p, t) == (Place.FINAL, NEW)][-1:]
    last_red = [r for p, t, r in observations if (p, t) == (Place.BASE, BASE)][-1:]
    assert (outcome is VerdictOutcome.SIGNED_OFF) == (
        last_green == [Result.PASS] and last_red == [Result.FAIL]
    )


def objection(clause: str, tree: TreeId = NEW) -> Objection:
    return Objection(clause=ClauseId(clause), tree=tree, why="it is wrong")


def test_an_objection_lowers_its_clause_and_what_leans_on_it() -> None:
    leaning = Clause(
        id=ClauseId("leaning"), kind=ClauseKind.CRITERION, text="", proven_by=(GUARD.id,), guard=True
    )
    evidence = [seen(GUARD, Result.PASS)]

    verdict = judge([GUARD, leaning], evidence, TREES, objections=[objection("guard")])

    assert [row.standing for row in verdict.clauses] == [Standing.FAILED, Standing.FAILED]
    assert judge([GUARD, leaning], evidence, TREES).outcome is VerdictOutcome.SIGNED_OFF


def test_an_objection_to_another_tree_changes_nothing() -> None:
    """A finding about what was mended since would refuse the better result."""
    verdict = judge([GUARD], [seen(GUARD, Result.PASS)], TREES, objections=[objection("guard", OLD)])

    assert verdict.outcome is VerdictOutcome.SIGNED_OFF


def test_a_person_may_overrule_an_objection() -> None:
    evidence = [red(CLAIM), seen(CLAIM, Result.PASS)]

    verdict = judge([CLAIM], evidence, TREES, (waiver(),), objections=[objection("claim")])

    assert verdict.clauses[0].standing is Standing.WAIVED


BEST_LAST = (
    Standing.FAILED,
    Standing.VACUOUS,
    Standing.UNPROVEN,
    Standing.NOT_JUDGED,
    Standing.WAIVED,
    Standing.PROVEN,
)
LEANING = Clause(id=ClauseId("leaning"), kind=ClauseKind.CRITERION, text="", proven_by=(CLAIM.id, GUARD.id))
ALONE = Clause(id=ClauseId("alone"), kind=ClauseKind.NON_GOAL, text="", required=False)
ALL = (CLAIM, GUARD, LEANING, ALONE)


@given(
    st.lists(
        st.tuples(
            st.sampled_from((CLAIM, GUARD)),
            st.sampled_from(list(Place)),
            st.sampled_from((BASE, LAID, OLD, NEW)),
            st.sampled_from(Result),
        ),
        max_size=8,
    ),
    st.lists(
        st.builds(
            objection, st.sampled_from((*(c.id for c in ALL), "nobody")), st.sampled_from((BASE, OLD, NEW))
        ),
        max_size=5,
    ),
    st.booleans(),
    st.sampled_from(Standing),
)
def test_no_objection_ever_makes_anything_better(
    observations: list[tuple[Clause, Place, TreeId, Result]],
    objections: list[Objection],
    is_waived: bool,
    given_standing: Standing,
) -> None:
    """Whatever an evaluator says, no clause stands higher and nothing is signed off that was not before."""
    evidence = [seen(c, r, p, t, n) for n, (c, p, t, r) in enumerate(observations)]
    waivers = (waiver(),) if is_waived else ()
    row = ClauseVerdict(clause=ALONE.id, standing=given_standing, why="")

    before = judge(ALL, evidence, TREES, waivers, given=(row,))
    after = judge(ALL, evidence, TREES, waivers, given=(row,), objections=objections)

    for was, now in zip(before.clauses, after.clauses, strict=True):
        assert BEST_LAST.index(now.standing) <= BEST_LAST.index(was.standing)
        assert now.required == was.required
    if after.outcome is VerdictOutcome.SIGNED_OFF:
        assert before.outcome is VerdictOutcome.SIGNED_OFF
    against = {o.clause for o in objections if o.tree == NEW}
    assert all(row.standing is not Standing.PROVEN for row in after.clauses if row.clause in against)
