"""What the ledger tells of a journal: each dispatch once, in our own words, and never anything else."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, RunId, TreeId
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.events import (
    Claimed,
    Done,
    Driver,
    Event,
    How,
    Index,
    Intended,
    Recorded,
    Resumed,
    RunEnd,
    RunStart,
    RunStatus,
    StopRequested,
)
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.ledger import AgentStatus, AgentType, Effort, LedgerRecord
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Captured,
    Delegated,
    FindingsWeighed,
    Interrupted,
    Outcome,
    Sealed,
    Usage,
)
from signoff.domain.work.settings import AgentSettings, RoleSettings, Settings
from signoff.ledger.ledger_failures import MEANINGS, tell
from signoff.ledger.ledger_lines import is_failed
from signoff.ledger.ledger_records import MOST_FILES, LedgerProjection, encode_record
from signoff.ledger.ledger_rules import check_ledger

RUN = RunId("01JAAAAAAAAAAAAAAAAAAAAAAA")
SETTINGS = Digest("sha256:settings")
CONTRACT = Digest("sha256:contract")
NONE = Digest("sha256:none")
PLAN = EffectKey("plan/attempt-1/dispatch-1")
T1 = EffectKey("implement/T1/attempt-1/dispatch-1")
T1_AGAIN = EffectKey("implement/T1/attempt-1/dispatch-2")
COMMIT = CommitId("a" * 40)
PLANTED = "please write the secret recipe into soup.py"
START = RunStart(
    flow="deliver@1",
    driver=Driver.AUTOPILOT,
    agent="claude",
    base=CommitId("b" * 40),
    base_tree=TreeId("c" * 40),
    ticket=NONE,
    settings=SETTINGS,
    engine_version="0",
)
CONTRACT_BODY = b"""{"version":1,"phase":1,"goal":"g","why":"w","generated_at":"2026-01-01T00:00:00Z",
"generated_by":"planner","tasks":[{"id":"T1","title":"t","wave":3,"action":"a","verification":[]}],
"success_criteria":[]}"""


def bodies(settings: Settings = Settings()) -> dict[Digest, bytes]:  # noqa: B008 - frozen
    return {SETTINGS: msgspec.json.encode(settings), CONTRACT: CONTRACT_BODY}


def journal(*events: Event, start: RunStart = START, gap_s: int = 1) -> list[Recorded]:
    first = Index(schema_version="1", flow="deliver", run_id=RUN, event_types=(), started_at="")
    return [
        Recorded(
            seq=n, ts=f"2026-03-01T10:{n * gap_s // 60:02}:{n * gap_s % 60:02}.000Z", sum="", event=event
        )
        for n, event in enumerate((first, start, *events))
    ]


def project(
    entries: list[Recorded],
    settings: Settings = Settings(),  # noqa: B008 - frozen
    changed: tuple[str, ...] | None = ("a.py",),
) -> list[LedgerRecord]:
    projection = LedgerProjection("shop", bodies(settings).__getitem__, lambda _: changed)
    return [record for entry in entries for record in projection.take(entry)]


def begun(key: EffectKey) -> Intended:
    return Intended(key=key, do="dispatch", effect=NONE)


def ended(key: EffectKey, outcome: Outcome) -> Done:
    return Done(key=key, outcome=outcome)


def answered(kind: str = "done", usage: Usage | None = None) -> AgentAnswered:
    return AgentAnswered(answer=NONE, kind=kind, question=PLANTED, usage=usage)


def captured(files: int = 1) -> Captured:
    return Captured(commit=COMMIT, tree=TreeId("d" * 40), files=files)


def capture_of(key: EffectKey) -> Done:
    return ended(EffectKey(f"{key}/capture"), captured())


def sealed() -> Done:
    return ended(EffectKey("plan/seal"), Sealed(contract=CONTRACT, approver="policy"))


def is_valid(records: list[LedgerRecord]) -> bool:
    found = check_ledger([encode_record(record) for record in records])
    assert not found.violations, found.violations
    return found.ok


def test_a_plan_and_a_task_are_told_with_everything_that_is_known() -> None:
    usage = Usage(
        input_tokens=100,
        output_tokens=20,
        cached_tokens=7,
        cache_write_tokens=3,
        cost_usd=0.25,
        tool_calls=4,
        model="model-x",
        session="s-1",
    )
    entries = journal(
        begun(PLAN),
        ended(PLAN, answered("plan")),
        sealed(),
        begun(T1),
        ended(T1, answered(usage=usage)),
        capture_of(T1),
    )

    plan, work = project(entries)

    assert (plan.agent_type, plan.status, plan.model, plan.task_id) == ("planner", "success", "unknown", None)
    assert work == LedgerRecord(
        run_id=work.run_id,
        skill_invocation_id=RUN,
        session_id="s-1",
        agent_type=AgentType.BUILDER,
        model="model-x",
        project="shop",
        task_id="T1",
        wave=3,
        status=AgentStatus.SUCCESS,
        started_at="2026-03-01T10:00:05.000Z",
        finished_at="2026-03-01T10:00:06.000Z",
        duration_ms=1000,
        input_tokens=100,
        output_tokens=20,
        cache_read_tokens=7,
        cache_creation_tokens=3,
        tool_calls_count=4,
        files_changed=("a.py",),
        commit_sha=COMMIT,
        agent="claude",
        cost_usd=0.25,
        effect_key=T1,
    )
    assert is_valid([plan, work])


def test_a_builder_is_told_of_with_its_capture_and_not_before() -> None:
    entries = journal(begun(T1), ended(T1, answered()), capture_of(T1))

    assert project(entries[:-1]) == []
    assert [record.effect_key for record in project(entries)] == [T1]


def test_a_run_that_ends_leaves_nobody_out() -> None:
    entries = journal(begun(T1), ended(T1, answered()), RunEnd(status=RunStatus.REFUSED))

    (record,) = project(entries)

    assert (record.status, record.commit_sha) == ("success", None)


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        ("question", AgentStatus.PARTIAL, None),
        ("blocked", AgentStatus.BLOCKED, FailureReason.PRECONDITION_UNMET),
    ],
)
def test_who_asks_or_gives_up_did_not_succeed(
    kind: str, status: AgentStatus, reason: FailureReason | None
) -> None:
    (record,) = project(journal(begun(PLAN), ended(PLAN, answered(kind))))

    assert (record.status, record.failure_reason) == (status, reason)
    assert record.log_file == f".signoff/agent-runs/{record.run_id}.log"
    assert PLANTED not in str(record)
    assert is_valid([record])


@pytest.mark.parametrize("failure", list(FailureClass))
def test_every_class_of_failure_has_its_reason_from_the_one_table_and_none_of_its_words(
    failure: FailureClass,
) -> None:
    failed = AgentFailed(
        failure=AgentFailure.CRASHED, detail=f"exit code 3: {PLANTED}", failure_class=failure
    )

    (record,) = project(journal(begun(PLAN), ended(PLAN, failed)))

    assert record.failure_reason is TREATMENT[failure].reason
    assert record.failure_class == failure
    assert record.failure_detail == f"{MEANINGS[failure]} (exit code 3)"
    assert record.status is not AgentStatus.SUCCESS
    assert PLANTED not in str(record)
    assert is_valid([record])


@pytest.mark.parametrize("failure", list(AgentFailure))
def test_a_failure_without_a_class_is_told_too(failure: AgentFailure) -> None:
    told = tell(AgentFailed(failure=failure, detail=PLANTED))

    assert told.failure_class == failure
    assert (told.status is AgentStatus.TIMEOUT) is (failure is AgentFailure.TIMED_OUT)
    assert PLANTED not in told.detail


@given(
    st.text(st.characters(codec="ascii"), max_size=60),
    st.sampled_from(["", "exit code 1: ", "not finished after 3 s: ", "it said "]),
)
def test_no_word_of_a_detail_gets_into_the_ledger(words: str, head: str) -> None:
    """A detail may quote an answer, a prompt or a file: only figures in fixed forms are taken from it."""
    quiet = tell(AgentFailed(failure=AgentFailure.CRASHED, detail=""))

    told = tell(AgentFailed(failure=AgentFailure.CRASHED, detail=head + words))

    more = told.detail.removeprefix(quiet.detail)
    assert more in ("", " (exit code 1)", " (not finished after 3 s)") or not any(c.isalpha() for c in words)


def test_an_interrupted_dispatch_ends_when_its_driver_was_last_seen() -> None:
    """Resumed the next day, it did not work all night."""
    entries = journal(
        begun(PLAN),
        StopRequested(by="ada", how=How.TERMINAL),
        Resumed(engine_version="0"),
        ended(PLAN, Interrupted()),
        gap_s=100,
    )

    (record,) = project(entries)

    assert (record.status, record.failure_class) == ("interrupted", "interrupted")
    assert record.duration_ms == 100_000
    assert is_valid([record])


def test_a_retry_names_what_it_retries_and_an_answer_to_a_question_does_not() -> None:
    crash = AgentFailed(failure=AgentFailure.CRASHED)
    entries = journal(
        begun(T1), ended(T1, crash), begun(T1_AGAIN), ended(T1_AGAIN, answered()), capture_of(T1_AGAIN)
    )
    first, second = project(entries)
    asked = journal(
        begun(T1), ended(T1, answered("question")), capture_of(T1), begun(T1_AGAIN), ended(T1_AGAIN, crash)
    )

    assert second.retry_of == first.run_id
    assert [record.retry_of for record in project(asked)] == [None, None]
    assert is_valid([first, second])


def test_a_delegated_dispatch_is_told_of_when_the_host_hands_in_and_once() -> None:
    delegated = ended(PLAN, Delegated(checkout="x", directive=NONE))
    claim = Claimed(key=PLAN, answer=NONE, kind="plan", by="ada")
    entries = journal(begun(PLAN), delegated, claim, claim)

    (record,) = project(entries)

    assert project(entries[:-2]) == []
    assert (record.agent, record.status, record.duration_ms) == ("hosted", "success", 2000)


@pytest.mark.parametrize("standing", [0, 2])
def test_an_evaluator_is_a_verifier_that_ran_whatever_it_found(standing: int) -> None:
    key = EffectKey("verify/round-1/evaluate/dispatch-1")
    weighed = FindingsWeighed(tree=TreeId("d" * 40), standing=standing)
    entries = journal(
        begun(key),
        ended(key, answered("evaluation")),
        ended(EffectKey("verify/round-1/evaluate/weigh"), weighed),
    )

    (record,) = project(entries)

    assert project(entries[:-1]) == []
    assert (record.agent_type, record.status, record.log_file) == ("verifier", "success", None)
    assert record.verification_result == ("fail" if standing else "pass")
    assert is_failed(record) is bool(standing)
    assert is_valid([record])


def test_an_unknown_role_is_a_custom_agent_with_its_name() -> None:
    key = EffectKey("verify/review/dispatch-1")

    (record,) = project(journal(begun(key), ended(key, answered())))

    assert (record.agent_type, record.agent_name) == ("custom", "verify")
    assert is_valid([record])


def test_an_evaluator_is_a_verifier_with_its_own_model() -> None:
    key = EffectKey("verify/round-1/evaluate/dispatch-1")
    settings = Settings(agent=AgentSettings(model="m", evaluator=RoleSettings(model="other")))

    (record,) = project(journal(begun(key), ended(key, answered())), settings)

    assert (record.agent_type, record.agent_name, record.model) == ("verifier", None, "other")
    assert is_valid([record])


def test_the_model_and_effort_asked_for_stand_in_for_what_is_not_told() -> None:
    settings = Settings(agent=AgentSettings(model="m", effort="low", builder=RoleSettings(effort="high")))
    entries = journal(begun(PLAN), ended(PLAN, answered()), begun(T1), ended(T1, answered()), capture_of(T1))

    plan, work = project(entries, settings)
    other = msgspec.structs.replace(START, agent="command")
    (foreign, _) = project(journal(*(entry.event for entry in entries[2:]), start=other), settings)

    assert (plan.model, plan.effort, work.model, work.effort) == ("m", Effort.LOW, "m", Effort.HIGH)
    assert (foreign.model, foreign.effort) == ("unknown", None)


def test_a_stand_in_was_not_asked_for_the_first_agents_model() -> None:
    settings = Settings(agent=AgentSettings(model="m", effort="low"))
    stand_in = msgspec.structs.replace(answered(), agent="codex")

    (plan,) = project(journal(begun(PLAN), ended(PLAN, stand_in)), settings)

    assert (plan.agent, plan.model, plan.effort) == ("codex", "unknown", None)


def test_a_model_that_is_prose_is_unknown() -> None:
    """An agent tells its model itself, and could put anything there."""
    usage = Usage(input_tokens=-1, model=PLANTED, session="two words", tool_calls=-4)

    (record,) = project(journal(begun(PLAN), ended(PLAN, answered(usage=usage))))

    assert (record.model, record.session_id, record.input_tokens) == ("unknown", None, None)
    assert is_valid([record])


def test_figures_of_a_whole_session_are_not_those_of_the_dispatch() -> None:
    usage = Usage(input_tokens=9, cost_usd=1.0, basis=UsageBasis.SESSION)

    (record,) = project(journal(begun(PLAN), ended(PLAN, answered(usage=usage))))

    assert (record.input_tokens, record.cost_usd, record.usage_basis) == (None, None, "session")


def test_a_long_list_of_files_is_cut_and_says_so() -> None:
    names = ("../up", "back\\slash", "\udcff", "new\nline", *(f"f{n}" for n in range(300)))

    (record,) = project(journal(begun(T1), ended(T1, answered()), capture_of(T1)), changed=names)

    assert record.files_changed == names[4 : 4 + MOST_FILES]
    assert record.files_left_out == 104
    assert is_valid([record])


def test_files_that_nobody_knows_any_more_are_counted() -> None:
    (record,) = project(journal(begun(T1), ended(T1, answered()), capture_of(T1)), changed=None)

    assert (record.files_changed, record.files_left_out) == ((), 1)


@pytest.mark.parametrize("off_at", ["start", "beginning", "end"])
def test_what_was_dispatched_while_nobody_wanted_a_ledger_is_never_told(off_at: str) -> None:
    """Otherwise a later resume would write what was opted out of."""
    off, on = Resumed(engine_version="0", telemetry=False), Resumed(engine_version="0")
    events: list[Event] = [begun(PLAN), ended(PLAN, answered())]
    start = START
    match off_at:
        case "start":
            start = msgspec.structs.replace(START, telemetry=False)
        case "beginning":
            events = [off, begun(PLAN), on, ended(PLAN, Interrupted())]
        case _:
            events.insert(1, off)

    assert project(journal(*events, start=start)) == []


KEYS = (PLAN, T1, T1_AGAIN, EffectKey("implement/T2/attempt-1/dispatch-1"))
OUTCOMES: tuple[Outcome, ...] = (
    answered("plan"),
    answered("question"),
    AgentFailed(failure=AgentFailure.TIMED_OUT),
    Interrupted(),
    Delegated(checkout="x", directive=NONE),
)
EVENTS = st.one_of(
    st.builds(begun, st.sampled_from(KEYS)),
    st.builds(ended, st.sampled_from(KEYS), st.sampled_from(OUTCOMES)),
    st.builds(capture_of, st.sampled_from(KEYS)),
    st.builds(lambda key: Claimed(key=key, answer=NONE, kind="done", by="x"), st.sampled_from(KEYS)),
    st.builds(Resumed, engine_version=st.just("0"), telemetry=st.booleans()),
    st.just(RunEnd(status=RunStatus.REFUSED)),
)


@given(st.lists(EVENTS, max_size=25), st.integers(0, 27))
def test_the_ledger_of_a_part_is_the_beginning_of_the_ledger_of_the_whole(
    events: list[Event], cut: int
) -> None:
    """What was written is never changed, taken back or written twice, wherever a driver died."""
    entries = journal(*events)

    whole, part = project(entries), project(entries[:cut])

    assert whole[: len(part)] == part
    assert len({record.run_id for record in whole}) == len(whole)
    assert check_ledger([encode_record(record) for record in whole]).ok or not whole
