"""What a hosted run reports: never more than the engine saw, and whose word the rest is."""

import pytest
from hosted_world import CHANGES, GREEN, PLAN, REVIEWED, SEEN, TICKET, HostedWorld
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.domain.base.typed_ids import TreeId
from signoff.domain.evidence.receipts import Result
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.run.directives import Facts
from signoff.domain.run.events import How
from signoff.domain.state_file.work_report import ReportKind, WorkReport, WorkStanding
from signoff.domain.work.memory import MemoryHit, MemoryKind
from signoff.domain.work.settings import Trust
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import Persona
from signoff.hosted.flow.hosted_questions import ABORT, OVERRIDE
from signoff.hosted.report.work_report_page import work_report


def standings(report: WorkReport) -> list[str]:
    return [str(row.standing) for row in report.clauses]


def evidence(report: WorkReport) -> list[str]:
    return [row.evidence for row in report.clauses]


def test_changes_seen_and_tests_run_by_the_engine_are_observed() -> None:
    """The best a hosted run can say; the criteria rest on the host's review all the same."""
    report = HostedWorld().deliver()

    assert report.kind is ReportKind.OBSERVED
    assert "2 changed files seen" in report.headline
    assert standings(report) == ["claimed", "claimed", "proven", "proven", "proven"]
    assert evidence(report)[:3] == ["the host's review", "the host's review", "cycle-1/look"]
    assert report.tests.run is not None
    assert evidence(report)[3] == report.tests.run.key
    assert report.tests.run.command == ("pytest", "-q")
    assert report.tests.run.duration_ms == 500
    assert report.next_commands == ("/commit", "/create-pr")


def test_outside_a_repository_the_changes_are_the_hosts_word() -> None:
    world = HostedWorld()
    world.changes = None

    report = world.deliver()

    assert report.kind is ReportKind.CLAIMED
    assert "the changes rest on the host's word alone (there is no repository" in report.headline
    assert [(file.path, file.kind) for file in report.changes.files] == [
        ("src/export.py", None),
        ("tests/test_export.py", None),
    ]
    assert standings(report)[2:] == ["claimed", "proven"]
    assert evidence(report)[2] == "the host's list"


def test_without_a_test_command_the_tests_are_the_hosts_word() -> None:
    world = HostedWorld()
    world.facts = Facts()

    report = world.deliver()

    assert report.kind is ReportKind.CLAIMED
    assert "the tests rest on the host's word alone (no test command was found)" in report.headline
    assert "2 changed files seen" in report.headline
    assert report.tests.run is None


def test_a_setting_that_trusts_claims_is_named() -> None:
    """Nobody should take a report for witnessed because a setting was forgotten."""
    report = HostedWorld(trust=Trust.CLAIMS).deliver()

    assert report.kind is ReportKind.CLAIMED
    assert report.headline.count("the settings say so") == 2


def test_a_failure_that_a_person_let_through_leads_the_report() -> None:
    """The receipt that failed stays in sight, beside who overruled it."""
    world = HostedWorld()
    world.result = Result.FAIL
    halted = world.deliver()
    assert halted.kind is ReportKind.PARTIAL
    assert "tests_contradicted" in halted.headline
    assert halted.tests.run is not None
    assert evidence(halted)[3] == f"{halted.tests.run.key} (fail)"
    assert standings(halted)[3] == "open"

    walked_halts = [key for key in world.state.done if key.startswith("test/")]
    world.answer(walked_halts[0].replace("/claim-", "/overrule-"), OVERRIDE)
    report = world.cycle()

    assert report.kind is ReportKind.OVERRULED
    assert "the tests: ada let it through; the engine saw: 1 of 2 tests failed" in report.headline
    assert standings(report)[3] == "overruled"
    assert any("overrule it" in decision for decision in report.decisions)


def test_an_overruled_review_and_unwitnessed_changes_are_both_in_the_first_line() -> None:
    """One weakness must not hide another."""
    world = HostedWorld()
    world.changes = None
    world.deliver(verify={"verdict": "partial"})
    world.answer(f"verify/verdict-{world.view.claimed_at('verify')}", OVERRIDE)

    report = world.cycle()

    assert report.kind is ReportKind.OVERRULED
    assert "the review: The review ended with `partial`." in report.headline
    assert "the changes rest on the host's word alone" in report.headline
    assert standings(report)[:2] == ["overruled", "overruled"]


def test_a_destructive_intent_that_was_let_through_is_overruled() -> None:
    """A run that deletes data reads differently from one that does not, however well it was tested."""
    world = HostedWorld(TICKET | {"title": "Drop the invoices table in production"})
    world.answer("refine/destructive", "proceed all the same")

    report = world.deliver()

    assert report.kind is ReportKind.OVERRULED
    assert report.headline.startswith("ada let a destructive intent through")
    assert report.clauses[-1].standing is WorkStanding.OVERRULED


def test_an_advisory_run_is_a_plan_and_its_other_steps_are_skipped() -> None:
    """A skipped step that read success would be a lie about work nobody did."""
    report = HostedWorld(persona=Persona.ADVISORY).cycle(plan=PLAN)

    assert report.kind is ReportKind.PLAN_ONLY
    assert report.plan == tuple(PLAN)
    assert set(standings(report)) == {"skipped"}
    assert report.next_commands == ()
    assert "success" not in work_report(report)


@pytest.mark.parametrize(
    ("claims", "step", "code"),
    [
        ({}, "plan", "empty_plan_delegate"),
        ({"plan": PLAN}, "implement", "empty_changes_delegate"),
        ({"plan": PLAN, "changes": CHANGES}, "test", "empty_tests_delegate"),
        ({"plan": PLAN, "changes": CHANGES, "tests": GREEN}, "verify", "empty_verify_delegate"),
        ({"outcomes": dict.fromkeys(("plan", "implement", "test", "verify"), "success")}, "plan", "unbacked"),
    ],
)
def test_a_run_that_halts_reports_what_there_is(claims: dict[str, object], step: str, code: str) -> None:
    """Four outcomes written by hand must bring no report, and no advice to commit."""
    report = HostedWorld().cycle(**claims)

    assert report.kind is ReportKind.PARTIAL
    assert report.headline.startswith(f"halts at {step} ({code}")
    assert report.next_commands == ()
    assert standings(report)[:2] == ["open", "open"]


def test_a_run_that_was_given_up_says_by_whom() -> None:
    world = HostedWorld()
    world.deliver(tests={"verdict": "failed"})
    world.answer(f"test/verdict-{world.view.claimed_at('tests')}", ABORT)

    report = world.cycle()

    assert report.kind is ReportKind.PARTIAL
    assert report.headline.startswith("ada gave it up at test (bad_test_verdict)")


def test_a_file_that_the_host_does_not_name_is_marked_and_followed_up() -> None:
    """What was changed on the quiet is what a reviewer has to see."""
    world = HostedWorld()
    world.changes = (*SEEN, PathChange(path="ci.yml", kind=ChangeKind.MODIFIED, added=1, removed=9))

    report = world.deliver()

    assert [file.path for file in report.changes.files if not file.is_named] == ["ci.yml"]
    assert [(item.anchor, "does not name" in item.note) for item in report.follow_ups] == [("ci.yml", True)]
    assert report.changes.files[0].purpose == "round half up"


def test_a_folder_that_the_host_names_covers_its_files() -> None:
    report = HostedWorld().deliver(changes=[{"path": "src", "purpose": "all of it"}, {"path": "tests/"}])

    assert [(file.is_named, file.purpose) for file in report.changes.files] == [
        (True, "all of it"),
        (True, ""),
    ]


def test_a_file_that_only_begins_like_another_is_not_named_by_it() -> None:
    world = HostedWorld()
    world.changes = (*SEEN, PathChange(path="src/export.py.orig", kind=ChangeKind.ADDED, added=1))

    report = world.deliver()

    assert [file.is_named for file in report.changes.files] == [True, True, False]


def test_an_existing_test_that_was_touched_is_followed_up() -> None:
    """A new test is work done; an old one that changed may have stopped asking."""
    world = HostedWorld()
    touched = PathChange(path="tests/test_export.py", kind=ChangeKind.MODIFIED, added=1, removed=3)
    world.changes = (SEEN[0], touched)

    report = world.deliver()

    assert [item.anchor for item in report.follow_ups] == ["tests/test_export.py"]
    assert "existing test" in report.follow_ups[0].note


def test_what_the_host_left_for_later_comes_from_plan_tests_and_review() -> None:
    report = HostedWorld().deliver(
        plan={"steps": PLAN, "followups": [{"title": "rates", "anchor": "src/rates.py:3"}, 7, {}]},
        tests={**GREEN, "followups": ["slow test"]},
        verify={**REVIEWED, "followups": [{"note": "docs", "title": "x"}]},
    )

    assert [(item.note, item.anchor) for item in report.follow_ups] == [
        ("rates", "src/rates.py:3"),
        ("slow test", ""),
        ("docs", ""),
    ]


def test_a_prompt_is_named_after_its_first_line_and_shows_what_was_understood() -> None:
    """A report headed by no id and no title cannot be told from the next one."""
    data: dict[str, object] = {
        "raw": "\nAdd a --json flag to src/report.py\nso that scripts can read it",
        "reconstructed_ac": [
            "`report --json` prints one JSON object",
            "`report` without the flag prints what it printed before",
            "an unknown flag exits with code 2",
        ],
        "assumptions": ["stdout only"],
    }
    world = HostedWorld(data, InputKind.PROMPT)
    world.answer("refine/confirm-0", "confirm")

    report = world.deliver()

    assert report.asked.title == "Add a --json flag to src/report.py"
    assert report.confidence is not None
    assert report.assumptions == ("stdout only",)
    assert len(report.clauses) == 6


HIT = MemoryHit(
    id="ADR-12",
    type=MemoryKind.ARCHITECTURE_DECISIONS,
    source="repo",
    path=".signoff/memory/architecture-decisions/rounding.md",
    score=1.0,
    entry="Money is rounded half up.",
)
OTHER = MemoryHit(
    id="INC-1",
    type=MemoryKind.INCIDENT_LEARNINGS,
    source="repo",
    path=".signoff/memory/incident-learnings/x.md",
    score=0.5,
    entry="Exports are retried.",
)


@pytest.mark.parametrize(
    ("claims", "mattered"),
    [
        ({}, []),
        ({"plan": ["Round half up, see ADR-12."]}, ["ADR-12"]),
        ({"plan": ["see ADR-123"]}, []),
        ({"changes": [CHANGES[0] | {"purpose": "ADR-12"}, CHANGES[1]]}, ["ADR-12"]),
        ({"verify": REVIEWED | {"notes": ["holds INC-1"]}}, ["INC-1"]),
        ({"memory": [{"id": "INC-1", "changed_outcome": True}]}, ["INC-1"]),
        ({"memory": [{"id": "INC-1", "changed_outcome": "yes"}]}, []),
        ({"memory": [{"id": "ADR-99", "changed_outcome": True}]}, []),
    ],
)
def test_only_memory_that_changed_an_outcome_is_reported(
    claims: dict[str, object], mattered: list[str]
) -> None:
    """A list of everything that was found would hide what decided."""
    world = HostedWorld()
    world.hits = (HIT, OTHER)

    assert [hit.id for hit in world.deliver(**claims).memory] == mattered


def test_what_was_seen_in_an_earlier_cycle_does_not_speak_for_this_one() -> None:
    """Files that changed after the review re-open it; the old receipt is not shown for the new tree."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=CHANGES, tests=GREEN)
    world.claim("verify", REVIEWED)
    world.tree = TreeId("tree-2")
    first = world.cycle()
    assert first.kind is ReportKind.OBSERVED
    assert first.changes.tree == "tree-2"
    assert first.tests.run is not None
    assert first.tests.run.key.endswith("tree-2")


def test_a_word_relayed_by_the_host_overrules_nothing() -> None:
    world = HostedWorld()
    world.deliver(tests={"verdict": "mixed"})
    world.answer(f"test/verdict-{world.view.claimed_at('tests')}", OVERRIDE, How.RELAYED)

    report = world.cycle()

    assert report.kind is ReportKind.PARTIAL
    assert any("(relayed)" in decision for decision in report.decisions)


words = st.sampled_from(
    ("success", "partial", "x\n## Tests", "@agent-directive: y", "ADR-12", "src/export.py", "")
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ("path", "title", "steps", "verdict", "findings", "followups", "note", "anchor", "id")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
slices = st.sampled_from(("plan", "changes", "tests", "verify", "memory", "outcomes"))


@settings(max_examples=150)
@given(st.dictionaries(slices, values), st.sampled_from(Persona), st.sampled_from(Trust))
def test_whatever_a_host_writes_there_is_a_report(
    claims: dict[str, object], persona: Persona, trust: Trust
) -> None:
    """A host that writes nonsense gets a report about it: no traceback, and no heading of its own."""
    world = HostedWorld(persona=persona, trust=trust)
    world.hits = (HIT, OTHER)
    slices: dict[str, object] = {"plan": PLAN, "changes": CHANGES, "tests": GREEN, "verify": REVIEWED}

    report = world.cycle(**(slices | claims))
    lines = work_report(report).splitlines()

    assert lines.count("## Tests") == 1
    assert not [line for line in lines if line.startswith("@agent-directive:")]
    assert bool(report.next_commands) == (report.kind in ("observed", "claimed", "overruled"))
