"""Non-goals that forbid nothing and stop conditions that are no signal, told from those that are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.vague_words import why_no_non_goal, why_no_signal

NOTHING = [
    "",
    " \u200b",
    "-",
    "...",
    "???",
    "none",
    "None.",
    "N/A",
    "n.a.",
    "TBD",
    "to be determined",
    "Not applicable",
    "nothing",
    "todo",
    "No non-goals",
    '"none"',
    "no\u200bne",
]


@pytest.mark.parametrize("text", NOTHING)
def test_a_placeholder_is_neither_a_non_goal_nor_a_signal(text: str) -> None:
    assert why_no_non_goal(text)
    assert why_no_signal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Auto-generated contract: no non-goals were specified by the planner",
        "auto-generated CONTRACT for login",
        "Auto\u200b-generated contract",
        "Do not break things",
        "Don't break things",
        "Don’t break anything else!",
        "Do not break existing functionality",
        "Avoid breaking the app",
        "No regressions",
        "Do not introduce bugs in existing features",
        "Must not mess up any code",
    ],
)
def test_a_non_goal_that_forbids_nothing_is_known(text: str) -> None:
    assert why_no_non_goal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do not modify the auth middleware",
        "Do not add new dependencies",
        "Don't introduce a new state management pattern",
        "Do not refactor unrelated files",
        "Do not add new features",
        "Do not break `GET /api/orders`",
        "Do not break the public API",
        "No database migrations",
        "Discount codes",
        "No contract is generated automatically",
        "Nothing in src/auth changes",
        "不要修改登录",
    ],
)
def test_a_non_goal_that_names_something_is_let_alone(text: str) -> None:
    assert why_no_non_goal(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "when done",
        "When finished.",
        "until done",
        "Until it's done",
        "when the sprint feels done",
        "when everything is complete",
        "once it is ready",
        "Done",
        "All tasks are finished",
        "The agent thinks it is good enough",
        "Implementation complete",
        "when the feature works",
    ],
)
def test_a_stop_condition_that_is_no_signal_is_known(text: str) -> None:
    assert why_no_signal(text)


@pytest.mark.parametrize(
    "text",
    [
        "All required success criteria pass evaluation",
        "`npm test` passes with the new tests",
        "When `npm test` passes with all new tests included",
        "The Playwright login.spec.ts passes against staging",
        "All tests are green",
        "The page shows “done”",
        "Done: 12 of 12 pages render",
        "テストが通る",
    ],
)
def test_a_stop_condition_that_somebody_can_see_is_let_alone(text: str) -> None:
    assert why_no_signal(text) == ""


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert isinstance(why_no_non_goal(text) + why_no_signal(text), str)
