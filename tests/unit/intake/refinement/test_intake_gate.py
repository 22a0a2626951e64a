"""Reading a want and judging it: outcomes, codes, questions, and no input that crashes the gate."""

import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.work.refinement import (
    Band,
    Dimension,
    RefineFault,
    Refinement,
    RefineOutcome,
    Route,
    RouteSource,
)
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import DirectiveSet, Intent, WorkInput
from signoff.intake.refinement.envelopes import (
    envelope_from_diff,
    envelope_from_path,
    envelope_from_prompt,
    envelope_from_ticket,
    read_input,
)
from signoff.intake.refinement.intake_gate import refine

CRITERIA = [
    "When the price is 1.005 the helper must return 1.01",
    "Given a negative price it should raise ValueError",
    "The README lists the helper",
]
CLEAR = "Add a formatPrice helper in src/utils/price.py that rounds to two decimals"
TICKET: dict[str, object] = {"id": "A-1", "title": "Round prices", "acceptance_criteria": CRITERIA}


def judged(raw: str, criteria: object = CRITERIA, **more: object) -> Refinement:
    return refine(read_input(InputKind.PROMPT, {"raw": raw, "reconstructed_ac": criteria, **more}))


def of_ticket(**changes: object) -> Refinement:
    return refine(read_input(InputKind.TICKET, {**TICKET, **changes}))


def test_a_clear_prompt_goes_through_and_hands_on_its_criteria() -> None:
    """Later steps would look for criteria in vain."""
    found = judged(CLEAR)

    assert (found.outcome, found.codes, found.question) == (RefineOutcome.SUCCESS, (), "")
    assert found.criteria == tuple(CRITERIA)
    assert found.confidence
    assert found.confidence.band is Band.HIGH


@pytest.mark.parametrize("criteria", [None, [], ["  "]])
def test_a_prompt_without_criteria_is_unrefined(criteria: object) -> None:
    """A prompt would be scored on nothing."""
    found = judged(CLEAR, criteria)

    assert found.codes == (RefineFault.PROMPT_UNREFINED,)
    assert (found.outcome, found.confidence, len(found.options)) == (RefineOutcome.BLOCKED, None, 2)


@pytest.mark.parametrize(
    ("flag", "outcome"),
    [
        (True, RefineOutcome.SUCCESS),
        (1, RefineOutcome.PARTIAL),
        ("true", RefineOutcome.PARTIAL),
        (None, RefineOutcome.PARTIAL),
    ],
)
def test_only_a_true_confirmation_releases_the_medium_band(flag: object, outcome: RefineOutcome) -> None:
    """Something that looks like a yes would count as one."""
    found = judged("Fix the login", CRITERIA, confidence_confirmed=flag)

    assert found.outcome is outcome
    if outcome is RefineOutcome.PARTIAL:
        assert found.codes == (RefineFault.PROMPT_MEDIUM_CONFIDENCE,)
        assert len(found.options) == 3


def test_a_low_band_asks_one_question_and_no_flag_releases_it() -> None:
    """Work would start on a prompt that nobody understood."""
    found = judged("make it better", confidence_confirmed=True)

    assert (found.outcome, found.codes) == (RefineOutcome.BLOCKED, (RefineFault.PROMPT_LOW_CONFIDENCE,))
    assert found.weakest is Dimension.GOAL_CLARITY
    assert found.question.count("?") == 1
    assert len(found.options) == 2


def test_a_veto_stands_whatever_the_band_and_the_flag() -> None:
    """A table would be dropped because the ticket was clear."""
    found = judged("Drop the users table in db/schema.sql", confidence_confirmed=True)

    assert found.codes == (RefineFault.DESTRUCTIVE_INTENT,)
    assert (found.outcome, len(found.vetoes)) == (RefineOutcome.BLOCKED, 1)
    assert found.confidence
    assert found.confidence.band is not Band.HIGH


def test_a_criterion_can_be_destructive_too() -> None:
    """The deed would hide where the agent writes."""
    assert judged(CLEAR, [*CRITERIA, "The users table must be dropped"]).vetoes
    assert of_ticket(body="Then drop the users table.").codes == (RefineFault.DESTRUCTIVE_INTENT,)


def test_a_question_starts_no_run() -> None:
    """A question would become a change."""
    found = judged("How does the cache work?")

    assert (found.codes, found.is_question) == ((RefineFault.QUESTION_NOT_TASK,), True)
    assert "answer it" in found.question


def test_a_ticket_is_told_everything_that_is_unclear_at_once() -> None:
    """A person would mend one thing per round."""
    found = refine(read_input(InputKind.TICKET, {"title": "x", "acceptance_criteria": ["TBD"]}))

    assert set(found.codes) == {
        RefineFault.MISSING_ID,
        RefineFault.TRIVIAL_TITLE,
        RefineFault.MISSING_OR_VAGUE_AC,
    }
    assert [violation.path for violation in found.violations] == ["/id", "/title", "/acceptance_criteria/0"]
    assert (found.confidence, len(found.options)) == (None, 3)


@pytest.mark.parametrize("changes", [{}, {"id": 12}, {"acceptance_criteria": "- Prices have two decimals"}])
def test_a_clear_ticket_goes_through(changes: dict[str, object]) -> None:
    """Integer ids and criteria in one text are what trackers write."""
    assert of_ticket(**changes).outcome is RefineOutcome.SUCCESS


def test_a_ticket_with_a_raw_field_stays_a_ticket() -> None:
    """A tracker's own field would turn a ticket into a prompt."""
    assert of_ticket(raw="make it better").outcome is RefineOutcome.SUCCESS


def test_work_on_a_page_is_routed_and_not_refused() -> None:
    """A prompt for a button and its endpoint could never be worked on."""
    found = judged("Add an export endpoint in src/api.py and a button for it on the page")

    assert found.route.directive_set is DirectiveSet.MIXED
    assert (found.outcome, found.ui_intent) == (RefineOutcome.SUCCESS, True)


def test_a_page_wanted_of_backend_steps_is_asked_about_unless_somebody_chose_them() -> None:
    """A prompt that was rewritten would go on through steps that do not fit it."""
    want = read_input(
        InputKind.PROMPT, {"raw": "Add a button in src/a.tsx for it", "reconstructed_ac": CRITERIA}
    )
    route = Route(intent=Intent.BACKEND_CODING, directive_set=DirectiveSet.BACKEND)
    chosen = msgspec.structs.replace(route, source=RouteSource.OVERRIDE)

    assert refine(want, route).codes == (RefineFault.PROMPT_UI_INTENT,)
    assert refine(want, chosen).outcome is RefineOutcome.SUCCESS


@pytest.mark.parametrize(
    ("kind", "data", "path"),
    [
        (InputKind.PROMPT, {}, "/raw"),
        (InputKind.PROMPT, {"raw": 3}, "/raw"),
        (InputKind.PROMPT, {"raw": " "}, "/raw"),
        (InputKind.PROMPT, {"raw": "x", "reconstructed_ac": "x"}, "/reconstructed_ac"),
        (InputKind.PROMPT, {"raw": "x", "reconstructed_ac": ["x", 1]}, "/reconstructed_ac/1"),
        (InputKind.PROMPT, {"raw": "x", "assumptions": {}}, "/assumptions"),
        (InputKind.DIFF, {"raw": "no diff"}, "/raw"),
        (InputKind.FILE, {"path": "../up"}, "/path"),
        (InputKind.FILE, {"raw": "a.py"}, "/path"),
        (InputKind.TICKET, {"id": [1]}, "/id"),
        (InputKind.TICKET, {"id": 10**5000}, "/id"),
        (InputKind.TICKET, {"acceptance_criteria": [1]}, "/acceptance_criteria/0"),
    ],
)
def test_what_is_malformed_is_named_with_its_place(
    kind: InputKind, data: dict[str, object], path: str
) -> None:
    """A person would search for the mistake."""
    found = refine(read_input(kind, data))

    assert found.codes == (RefineFault.MALFORMED_INPUT,)
    assert path in [violation.path for violation in found.violations]


@pytest.mark.parametrize(
    ("envelope", "is_taken"),
    [
        (envelope_from_prompt("Add x"), True),
        (envelope_from_prompt(" \n"), False),
        (envelope_from_diff("Index: a.py\n"), True),
        (envelope_from_diff("a\n@@ -1 +1 @@"), True),
        (envelope_from_diff("a diff --git in a sentence"), False),
        (envelope_from_path("\n src/a.py\nmore"), True),
        (envelope_from_path(""), False),
        (envelope_from_path("https://example.org/a.py"), False),
        (envelope_from_path("FILE:///etc/passwd"), False),
        (envelope_from_path("a\0b"), False),
        (envelope_from_path("/etc/passwd"), False),
        (envelope_from_path("a/../../b"), False),
        (envelope_from_ticket(b'{"id": 1, "x": {"y": 2}}', "t.json"), True),
        (envelope_from_ticket(b"[1]", "t.json"), False),
        (envelope_from_ticket(b"{", "t.json"), False),
        (envelope_from_ticket(b"\xff", "t.md"), False),
        (envelope_from_ticket(b"# A-1: Title\n", "t.md"), True),
    ],
)
def test_an_envelope_is_made_or_refused_with_a_code(envelope: Any, is_taken: bool) -> None:
    """Something that is no want would start a run."""
    assert isinstance(envelope, WorkInput) is is_taken
    if not is_taken:
        assert {violation.code for violation in envelope} == {"malformed_input"}


def test_a_ticket_is_kept_as_its_tracker_wrote_it() -> None:
    """A field that a later step needs would be lost."""
    envelope = envelope_from_ticket(b'{"id": 1, "x": {"y": [2]}}', "t.json")

    assert isinstance(envelope, WorkInput)
    assert envelope.data == {"id": 1, "x": {"y": [2]}}


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
KEYS = st.sampled_from(
    [
        "raw",
        "path",
        "reconstructed_ac",
        "assumptions",
        "confidence_confirmed",
        "id",
        "number",
        "key",
        "title",
        "body",
        "description",
        "fields",
        "acceptance_criteria",
        "acceptanceCriteria",
        "labels",
        "branch",
        "type",
        "issue_type",
        "source",
        "summary",
        "issuetype",
    ]
)
SENTENCES = st.sampled_from((CLEAR, "make it better", "Drop the users table", "How does it work?", *CRITERIA))
DATA = st.dictionaries(
    KEYS | st.text(max_size=5), SENTENCES | st.lists(SENTENCES, max_size=4) | ANY_JSON, max_size=6
)


@given(st.sampled_from(InputKind), DATA | ANY_JSON)
def test_any_json_gives_a_refinement_with_codes(kind: InputKind, data: object) -> None:
    """A state file could crash a cycle."""
    found = refine(read_input(kind, data))

    assert (found.outcome is RefineOutcome.SUCCESS) == (not found.codes)
    assert bool(found.question) == bool(found.codes) == bool(found.options)
    assert not (found.vetoes and found.outcome is RefineOutcome.SUCCESS)
    msgspec.json.encode(found)


def test_data_without_end_is_refused() -> None:
    """A deep document would end in a recursion error."""
    data: dict[str, object] = {}
    for _ in range(sys.getrecursionlimit() * 2):
        data = {"content": data}

    assert refine(read_input(InputKind.TICKET, {"fields": {"description": data}})).codes == (
        RefineFault.MALFORMED_INPUT,
    )
