"""Finding the answer in what an agent said: the last object that is one, and nothing else."""

import json

import pytest
from agentbench import directive
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.answers import find_answer
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.directives import Directive, Facts, PlanRequest
from signoff.domain.work.ticket import Ticket

DONE = '{"kind":"done","summary":"as asked"}'
PLAN = Directive(
    key=EffectKey("plan/attempt-1/dispatch-1"),
    payload=PlanRequest(ticket=Ticket(title="Discounts", body=""), facts=Facts()),
)


def found(text: str, given_to: Directive | None = None) -> str | None:
    answer = find_answer(given_to or directive(), text)
    return None if answer is None else answer.decode()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (DONE, DONE),
        (f"Done.\n\n```json\n{DONE}\n```\n", DONE),
        (f"```\n{DONE}\n```\nThat is all {{really}}.", DONE),
        (f'{{"kind":"question","question":"which?"}} no, wait: {DONE}', DONE),
        (f'{DONE}\n{{"kind":"plan","contract":{{}}}}\n{{"note":1}}', DONE),
        (f'def f(): {{return}} "{{" {{"a": {DONE}', DONE),
        ('{\n  "kind": "blocked",\n  "reason": "no {brace} is \\"ours\\""\n}', None),
    ],
    ids=["bare", "fenced", "words-after", "last-of-two", "others-after", "after-code", "pretty"],
)
def test_the_last_object_that_is_an_answer_counts(text: str, answer: str | None) -> None:
    assert found(text) == (answer or text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Done!",
        "kind: done",
        '{"kind":"done"',
        '{"kind":"finished"}',
        '{"kind":"question"}',
        '{"status":"done"}',
        f"[{DONE[:-1]}]",
        f'{{"kind":"verdict","inner":{DONE}}}',
        f'{{"note":{DONE}}}',
    ],
)
def test_nothing_else_is_an_answer(text: str) -> None:
    """An object within another is somebody's quotation."""
    assert found(text) is None


def test_a_planner_answers_with_a_plan_and_a_worker_does_not() -> None:
    plan = '{"kind":"plan","contract":{"any":["thing",{"kind":"done"}]}}'

    assert found(plan, PLAN) == plan
    assert found(plan) is None
    assert found(DONE, PLAN) is None


@pytest.mark.parametrize(
    "text",
    ["{" * 200_000, '{"a":' * 100_000, '{"kind":"done"' * 50_000, '{"a":{}} ' * 100_000, '{"' * 300_000],
)
def test_hostile_braces_end_soon(text: str) -> None:
    """This test would hang: an agent that prints nonsense must not hold the run."""
    assert found(text) is None


@given(st.text())
def test_whatever_the_text_what_is_found_in_it_is_an_answer_and_stands_there(text: str) -> None:
    """A made-up answer would be taken for the agent's own."""
    answer = found(text)

    assert answer is None or answer in text


@given(before=st.text(), after=st.text(alphabet=st.characters(exclude_characters="{}")))
def test_an_answer_is_found_after_any_words_that_open_nothing(before: str, after: str) -> None:
    before = before.replace("{", "(")

    assert found(f"{before}\n{DONE}\n{after}") == DONE


@given(st.text())
def test_an_answer_is_given_as_it_was_written(summary: str) -> None:
    said = json.dumps({"kind": "done", "summary": summary})

    assert found(f"so: {said}") == said
