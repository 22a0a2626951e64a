"""Sums over dispatches: what is unknown stays unknown, and is never counted as nothing."""

from signoff.delivery.budget.cost_table import cost_table
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, TreeId
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.events import Driver, RunStart
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Delegated,
    Interrupted,
    Outcome,
    Usage,
)
from signoff.engine.run_state import Span, State
from signoff.engine.run_summary import cost_usd, is_least
from signoff.ledger.run_costs import Costs, costs_of

NONE = Digest("sha256:none")
START = RunStart(
    flow="deliver@1",
    driver=Driver.AUTOPILOT,
    agent="claude",
    base=CommitId("b"),
    base_tree=TreeId("c"),
    ticket=NONE,
    settings=NONE,
    engine_version="0",
    roles={"planner": "codex"},
)
SPAN = Span(started="2026-03-01T10:00:00.000Z", ended="2026-03-01T10:01:30.000Z")


def state(**outcomes: Outcome) -> State:
    done = {EffectKey(name.replace("__", "/").replace("_", "-")): made for name, made in outcomes.items()}
    return State(start=START, done=done, spans=dict.fromkeys(done, SPAN))


def answered(
    cost: float | None, basis: UsageBasis = UsageBasis.RUN, tokens: int | None = 1000
) -> AgentAnswered:
    return AgentAnswered(
        answer=NONE, kind="done", usage=Usage(input_tokens=tokens, cost_usd=cost, model="m", basis=basis)
    )


def failed(cost: float | None) -> AgentFailed:
    return AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=cost, model="m"))


def lines(costs: Costs) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in cost_table(costs).splitlines()[2:]
    ]


def test_a_failed_dispatch_is_paid_for_too() -> None:
    run = state(
        implement__T1__attempt_1__dispatch_1=failed(0.5), implement__T1__attempt_1__dispatch_2=answered(1.0)
    )

    assert (cost_usd(run), is_least(run)) == (1.5, False)
    assert costs_of(run).total.cost_usd == (1.5, True)


def test_dispatches_are_added_up_by_role_task_agent_and_model() -> None:
    run = state(
        plan__attempt_1__dispatch_1=answered(1.0),
        implement__T1__attempt_1__dispatch_1=answered(2.0),
        implement__T1__attempt_2__dispatch_1=answered(3.0),
    )

    assert lines(costs_of(run)) == [
        ["planner", "", "codex", "m", "1", "1.0k", "unknown", "unknown", "1.0000 USD", "1m30s"],
        ["builder", "T1", "claude", "m", "2", "2.0k", "unknown", "unknown", "5.0000 USD", "3m00s"],
        ["total", "", "", "", "3", "3.0k", "unknown", "unknown", "6.0000 USD", "4m30s"],
    ]


def test_a_sum_with_an_unknown_part_is_the_least_it_can_be() -> None:
    run = state(
        implement__T1__a__dispatch_1=answered(1.0), implement__T1__a__dispatch_2=answered(None, tokens=None)
    )

    assert lines(costs_of(run))[-1][5:9] == ["at least 1.0k", "unknown", "unknown", "at least 1.0000 USD"]
    assert is_least(run)


def test_what_covers_a_whole_session_is_not_added_and_what_covers_one_call_is_the_least() -> None:
    session = state(plan__dispatch_1=answered(1.0, UsageBasis.SESSION))
    call = state(plan__dispatch_1=answered(1.0, UsageBasis.LAST_CALL))

    assert (cost_usd(session), is_least(session)) == (None, False)
    assert (cost_usd(call), is_least(call)) == (1.0, True)
    assert lines(costs_of(call))[-1][8] == "at least 1.0000 USD"


def test_nobody_knows_how_long_a_host_or_a_dead_driver_took() -> None:
    run = state(plan__dispatch_1=Delegated(checkout="x", directive=NONE), plan__dispatch_2=Interrupted())

    assert [row[2] for row in lines(costs_of(run))] == ["hosted", "codex", ""]
    assert costs_of(run).total.time_ms == (None, False)


def test_without_a_dispatch_there_is_no_table() -> None:
    assert cost_table(costs_of(state())) == "No agent ran."
