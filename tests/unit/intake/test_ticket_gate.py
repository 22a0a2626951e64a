"""Tickets are refused while they are unclear, and not because of a word."""

from typing import Any

import pytest

from signoff.domain.work.ticket import Ticket
from signoff.intake.ticket_files import gate
from signoff.text.vague_words import VAGUE_PHRASES, why_vague

CLEAR = "`signoff status` exits with 0 when nothing runs"


def codes(**changes: Any) -> list[tuple[str, str]]:
    plain: dict[str, Any] = {"id": "A-1", "title": "A title", "acceptance_criteria": (CLEAR,)}
    return [(v.code, v.path) for v in gate(Ticket(**{**plain, **changes}))]


def test_everything_unclear_is_said_at_once() -> None:
    assert codes(id=" \u200b", title="ab\u200b ", acceptance_criteria=()) == [
        ("missing_id", "/id"),
        ("trivial_title", "/title"),
        ("missing_or_vague_ac", "/acceptance_criteria"),
    ]


def test_a_title_of_three_characters_will_do() -> None:
    assert codes(title=" abc ") == []


def test_each_weak_criterion_is_named() -> None:
    [first, second] = gate(
        Ticket(id="A", title="abc", acceptance_criteria=(CLEAR, "short", CLEAR, "TBD later on"))
    )

    assert (first.path, second.path) == ("/acceptance_criteria/1", "/acceptance_criteria/3")
    assert first.message == 'acceptance criterion 2, "short", is shorter than 10 characters'


VAGUE = [
    *(f"The export {phrase}" for phrase in VAGUE_PHRASES),
    "It WORKS\u00a0 Correctly.",
    "It wor\u200bks cor\u00adrectly",
    "It\tworks\n as   expected",
    '"works correctly"',
    "“The page looks good”",
    "Retries as needed, when idle",
    "If the page loads, the page is correct",
    "fast and user-friendly",
    "make it better",
    "The app must be very robust, secure and scalable",
    "TBD",
    "Latency below TBD ms",
    "to be decided later",
    "TODO: write these",
    "todo - ask the owner",
    "TODO ask the owner",
    "What about ???",
    "Lorem ipsum dolor sit amet",
    "aaaaaaaaaaaa",
    "----------",
    "123456789",
    "短い",
    "re\u0301sume\u0301 ve\u0301",
    "\u200b" * 20,
    "",
]


@pytest.mark.parametrize("text", VAGUE)
def test_a_criterion_that_nobody_could_check_is_refused(text: str) -> None:
    assert why_vague(text) != ""
    assert codes(acceptance_criteria=(text,)) == [("missing_or_vague_ac", "/acceptance_criteria/0")]


@pytest.mark.parametrize(
    "text",
    [
        CLEAR,
        "1234567 90",
        "Prints “works correctly” to stdout",
        "The button is labelled `looks good`",
        "The label reads 'as needed' in grey",
        "When the password is correct, the user lands on /home",
        "Opens the door if the code is correct",
        "The checksum is corrected on upload",
        "Todo items can be deleted",
        "A todo list has a title",
        "Networks correctly report their state",
        "Response is fast: below 200 ms",
        "The user must be “admin”",
        "The user's name is shown, isn't cut",
        "退款成功后",
        "로그인 실패 시 401",
        "Why? How? Who?: all three are answered",
        "x" * 5 + "y" * 5 + "??",
    ],
)
def test_a_criterion_that_can_be_checked_is_let_alone(text: str) -> None:
    assert why_vague(text) == ""
