"""Where in its script a model is, and what it says there. Pure."""

from scripted_models.exchange import Exchange, Reply
from scripted_models.steps import Act, Fault, Say, Scenario, Turn
from scripted_models.tools import call

SIDE_REMARK = "A small task"
"""What a request without tools hears: agents ask for titles and summaries on the side."""


def turn_number(scenario: Scenario, results: int) -> int:
    """Give the turn that follows so many tool results.

    Counted from the conversation alone, so a retry, a second process and a resumed session all stand where
    the agent stands. An agent that answers half of a turn's calls hears that turn again.
    """
    sizes: list[int] = [len(turn.steps) if isinstance(turn, Act) else 0 for turn in scenario.turns]
    total = sum(sizes)
    if scenario.repeats and total:
        results %= total
    for number, size in enumerate(sizes):
        if results < size or size == 0:
            return number
        results -= size
    return len(sizes) - 1


def is_aside(scenario: Scenario, exchange: Exchange) -> bool:
    """Tell whether a request is beside the work: no tools offered where the script would use some."""
    return not exchange.tools and any(isinstance(turn, Act) for turn in scenario.turns)


def fault_for(scenario: Scenario, number: int, failed_before: int) -> Fault | None:
    """Give what goes wrong with this turn, if anything does."""
    if scenario.fault is None or number < scenario.fault_at:
        return None
    used_up = scenario.fault_times is not None and failed_before >= scenario.fault_times
    return None if used_up else scenario.fault


def reply_for(scenario: Scenario, exchange: Exchange, number: int, serial: int) -> Reply:
    """Give what the model says; `serial` keeps the ids of one server's calls apart."""
    id = f"scripted-{serial}"  # noqa: A001
    if is_aside(scenario, exchange):
        return Reply(model=exchange.model, id=id, text=SIDE_REMARK)
    turn: Turn = scenario.turns[number]
    if isinstance(turn, Say):
        return Reply(
            model=exchange.model,
            id=id,
            text=turn.text * turn.times,
            refuses=turn.refuses,
            is_cut_short=turn.is_cut_short,
        )
    calls = tuple(
        call(step, exchange.tools, exchange.folder, f"call_{serial}_{place}")
        for place, step in enumerate(turn.steps)
    )
    return Reply(model=exchange.model, id=id, calls=calls)
