"""A hosted run, step by step and without a machine: whatever a host writes, no step is done by its word."""

import json

import pytest
from hosted_world import CHANGES, GREEN, PLAN, REVIEWED, TICKET, HostedWorld
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.evidence.receipts import Result
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.surveys import STEPS, StepStatus, Survey
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import Persona
from signoff.hosted.flow.cycle_output import PREFIX, question_lines
from signoff.hosted.flow.flow import survey
from signoff.hosted.flow.hosted_questions import DECLARED
from signoff.hosted.flow.hosted_slices import look_at

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
SLICES = ("plan", "changes", "tests", "verify", "outcomes", "memory")


def look(world: HostedWorld) -> Survey:
    return survey(world.state, world.blobs.__getitem__)


def halt(world: HostedWorld) -> Halt:
    return look(world).halts[0]


def code(world: HostedWorld) -> HaltCode:
    return halt(world).code


def test_every_step_waits_for_its_slice_in_turn() -> None:
    """The order is fixed: nobody can review what nobody wrote."""
    world = HostedWorld()
    seen = []
    for claims in ({}, {"plan": PLAN}, {"changes": CHANGES}, {"tests": GREEN}):
        world.cycle(**claims)
        seen.append((halt(world).step, halt(world).verb, code(world)))
    assert seen == [
        ("plan", "create-plan", HaltCode.EMPTY_PLAN_DELEGATE),
        ("implement", "apply-plan", HaltCode.EMPTY_CHANGES_DELEGATE),
        ("test", "run-tests", HaltCode.EMPTY_TESTS_DELEGATE),
        ("verify", "review-changes", HaltCode.EMPTY_VERIFY_DELEGATE),
    ]


def test_a_run_whose_steps_are_all_behind_it_comes_to_its_report() -> None:
    """Otherwise an honest host would never be done."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=CHANGES)
    world.cycle(tests=GREEN)
    world.cycle(verify=REVIEWED)
    ended = world.state.ended or look(world).conclusion
    assert ended is not None
    assert ended.status is RunStatus.REPORTED


@pytest.mark.parametrize("step", ["plan", "implement", "test", "verify"])
def test_a_written_success_without_anything_behind_it_is_refused(step: str) -> None:
    """A word is no evidence."""
    world = HostedWorld()
    slices = {"plan": PLAN, "changes": CHANGES, "tests": GREEN, "verify": REVIEWED}
    order = ["plan", "implement", "test", "verify"]
    kept = list(slices)[: order.index(step)]
    world.changes = () if step == "implement" else world.changes
    world.cycle(**{name: slices[name] for name in kept}, outcomes=dict.fromkeys(STEPS, "success"))
    assert (code(world), halt(world).step) == (HaltCode.UNBACKED_OUTCOME, step)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("plan", 0, HaltCode.MALFORMED_PLAN),
        ("plan", [""], HaltCode.MALFORMED_PLAN),
        ("plan", {"steps": []}, HaltCode.MALFORMED_PLAN),
        ("plan", [{"name": "x"}], HaltCode.MALFORMED_PLAN),
        ("plan", "  ", HaltCode.EMPTY_PLAN_DELEGATE),
        ("changes", {"path": "x"}, HaltCode.MALFORMED_CHANGES),
        ("changes", ["src/export.py"], HaltCode.MALFORMED_CHANGES),
        ("changes", [{"path": " "}], HaltCode.MALFORMED_CHANGES),
        ("tests", "success", HaltCode.MALFORMED_TESTS),
        ("tests", {"verdict": "passed"}, HaltCode.MALFORMED_TESTS),
        ("tests", {"verdict": True}, HaltCode.MALFORMED_TESTS),
        ("tests", {"verdict": "mixed"}, HaltCode.BAD_TEST_VERDICT),
        ("verify", {"verdict": "ok"}, HaltCode.MALFORMED_VERIFY),
        ("verify", {"verdict": "success", "findings": "none"}, HaltCode.MALFORMED_VERIFY),
        ("verify", {"verdict": "partial"}, HaltCode.BAD_VERIFY_VERDICT),
        (
            "verify",
            {"verdict": "success", "findings": [{"severity": "Critical"}]},
            HaltCode.VERIFY_CONTRADICTED,
        ),
    ],
)
def test_a_slice_of_the_wrong_shape_or_content_halts_with_its_code(
    name: str, value: object, expected: HaltCode
) -> None:
    """Each way to be wrong has a name, and none of them passes."""
    world = HostedWorld()
    slices: dict[str, object] = {"plan": PLAN, "changes": CHANGES, "tests": GREEN, "verify": REVIEWED}
    before = dict(list(slices.items())[: list(slices).index(name)])
    world.cycle(**before, **{name: value})
    assert code(world) is expected


def test_failed_tests_contradict_a_claimed_success() -> None:
    """What the engine saw wins."""
    world = HostedWorld()
    world.result = Result.FAIL
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    assert code(world) is HaltCode.TESTS_CONTRADICTED
    assert [each.kind for each in look(world).halts] == [HaltKind.AGENT, HaltKind.PERSON]


def test_tests_that_could_not_be_seen_are_not_passed() -> None:
    """Not judged is not green."""
    world = HostedWorld()
    world.result = Result.PARTIAL
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    assert code(world) is HaltCode.TESTS_NOT_JUDGED


def test_only_a_person_on_a_terminal_overrules_the_tests() -> None:
    """A host can pass an answer on; that must not be enough."""
    world = HostedWorld()
    world.result = Result.FAIL
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    overrule = look(world).halts[1]
    world.answer(overrule.id, overrule.options[0], How.RELAYED)
    world.cycle()
    assert code(world) is HaltCode.TESTS_CONTRADICTED
    world.answer(overrule.id, overrule.options[0], How.TERMINAL)
    world.cycle()
    assert halt(world).step == "verify"


def test_an_overruled_test_run_does_not_cover_other_files() -> None:
    """Somebody let these files through, not those of tomorrow."""
    world = HostedWorld()
    world.result = Result.FAIL
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    overrule = look(world).halts[1]
    world.answer(overrule.id, overrule.options[0], How.TERMINAL)
    world.tree = type(world.tree)("tree-2")
    world.cycle()
    assert code(world) is HaltCode.TESTS_CONTRADICTED


def test_a_review_of_other_files_is_stale() -> None:
    """It was given for a tree that is not there any more."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=CHANGES, verify=REVIEWED)
    world.tree = type(world.tree)("tree-2")
    world.cycle(tests=GREEN)
    assert code(world) is HaltCode.REVIEW_STALE


def test_a_file_below_a_named_folder_was_changed_too() -> None:
    """Hosts name folders; that is not a lie."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=[{"path": "src/"}, {"file": "./tests/test_export.py:10-12"}])
    assert halt(world).step == "test"


def test_a_claim_that_nothing_bears_out_is_contradicted() -> None:
    """One real change does not vouch for another."""
    world = HostedWorld()
    world.changes = (PathChange(path="README.md", kind=ChangeKind.MODIFIED, added=1),)
    world.cycle(plan=PLAN, changes=CHANGES)
    assert code(world) is HaltCode.CHANGES_CONTRADICTED


def test_an_adviser_gets_no_directive_to_edit() -> None:
    """Plan only means that: later steps are skipped, and not called a success."""
    world = HostedWorld(persona=Persona.ADVISORY)
    world.cycle(plan=PLAN)
    assert look(world).steps["implement"] is StepStatus.SKIPPED
    assert not look(world).halts


def test_quality_assurance_asks_for_all_tests() -> None:
    """The scope is part of the directive."""
    world = HostedWorld(persona=Persona.QA)
    world.cycle(plan=PLAN, changes=CHANGES)
    assert halt(world).payload == {"ticket": "SHOP-7", "scope": "full"}


def test_work_for_another_set_never_runs_as_backend() -> None:
    """A silent backend run would build the wrong thing."""
    world = HostedWorld({**TICKET, "title": "Redesign the settings page layout with a new sidebar"})
    world.cycle(plan=PLAN)
    assert code(world) is HaltCode.DIRECTIVE_SET_UNAVAILABLE
    world.answer(halt(world).id, halt(world).options[0], How.RELAYED)
    world.cycle()
    assert halt(world).step == "implement"


def test_a_promise_to_answer_is_no_answer() -> None:
    """Option 1 says what somebody will do; its words must not become an acceptance criterion."""
    world = HostedWorld({"id": "A-1", "title": "Round totals", "acceptance_criteria": []})
    world.cycle()
    assert code(world) is HaltCode.MISSING_OR_VAGUE_AC
    for option in halt(world).options[:2]:
        world.answer(halt(world).id, option, How.RELAYED)
        world.cycle()
        assert code(world) is HaltCode.MISSING_OR_VAGUE_AC
    world.answer(halt(world).id, "export_invoice() writes 0 as 0.00", How.RELAYED)
    world.cycle()
    assert halt(world).step == "plan"


@given(st.dictionaries(st.sampled_from(SLICES), JSON, max_size=6))
def test_whatever_stands_in_a_slice_the_halt_has_a_declared_code(claims: dict[str, object]) -> None:
    """No JSON may end in a traceback, in silence, or in a code nobody declared."""
    world = HostedWorld()
    world.cycle(**claims)
    found = look(world)
    for each in found.halts:
        assert each.code in DECLARED[each.step]
    assert found.halts or found.conclusion is not None
    if not all(look_at(name, claims.get(name)).is_fit for name in ("plan", "changes", "tests", "verify")):
        assert found.conclusion is None


@given(st.dictionaries(st.text(max_size=12), JSON, max_size=5), st.sampled_from(list(InputKind)))
def test_whatever_is_asked_for_the_halt_has_a_declared_code(data: dict[str, object], kind: InputKind) -> None:
    """Input comes from trackers and people; it is never trusted to be what it should be."""
    world = HostedWorld(data, kind)
    world.cycle()
    for each in look(world).halts:
        assert each.code in DECLARED[each.step]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), st.text(max_size=40))
def test_no_text_of_a_ticket_can_pass_for_a_directive(name: str, criteria: list[str], title: str) -> None:
    """One line may begin with the prefix: the engine's, and it stands first."""
    world = HostedWorld({"id": name, "title": title, "acceptance_criteria": criteria})
    world.cycle()
    for each in look(world).halts:
        printed = "\n".join(question_lines(each))
        lines = printed.splitlines()
        assert [n for n, line in enumerate(lines) if line.startswith(PREFIX)] == ([0] if each.verb else [])
        assert all(line.startswith((">", PREFIX)) for line in lines)
        if each.verb and len(lines[0].split(" ", 3)) > 3 and '"' in lines[0]:
            json.loads(lines[0].partition("ticket=")[2])


def test_every_code_of_a_hosted_run_is_declared_by_a_step() -> None:
    """A code nobody declares cannot be met, and one of ours has an underscore."""
    ours = {each for each in HaltCode if "_" in each}
    assert ours == frozenset().union(*DECLARED.values())


def test_a_lowered_bar_halts_and_only_a_person_on_a_terminal_lets_it_pass() -> None:
    """Green tests say nothing once what they are judged by is not what it was."""
    world = HostedWorld()
    world.bar = Result.FAIL
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    assert code(world) is HaltCode.BAR_LOWERED
    overrule = look(world).halts[1]
    world.answer(overrule.id, overrule.options[0], How.RELAYED)
    world.cycle()
    assert code(world) is HaltCode.BAR_LOWERED
    world.answer(overrule.id, overrule.options[0], How.TERMINAL)
    world.cycle()
    assert halt(world).step == "verify"


@pytest.mark.parametrize(
    "path", ["/home/ada/shop/src/export.py", "src/../src/export.py", "./src/export.py", "src"]
)
def test_a_changed_file_may_be_named_in_any_way_that_leads_to_it(path: str) -> None:
    """An honest host must not be called a liar for its spelling."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=[{"path": path}])
    assert halt(world).step == "test"
