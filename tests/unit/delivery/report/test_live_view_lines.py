"""The live view: whatever agents say and however small the terminal, a few lines that fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.delivery.context.agent_activity import Doing
from signoff.delivery.report.live_view import Scene, Working, heartbeat, label, live_lines
from signoff.text.columns import fit, fit_end, plain, width

BUSY = Scene(
    title="SHOP-12 Discount codes",
    step="implement",
    seconds=271,
    cost_usd=0.12,
    tokens=31_400,
    failures=1,
    working=(
        Working(key="verify/round-1/final/T1/file", seconds=0.4),
        Working(
            key="implement/T1/attempt-2/dispatch-1",
            seconds=83,
            agent="claude",
            doing=Doing(
                tool="Edit", about="src/shop/codes.py", words="Percentages first.", tool_calls=12, retries=1
            ),
        ),
        Working(key="implement/T2/attempt-1/dispatch-2", seconds=41, agent="codex", doing=Doing(tokens=500)),
        Working(key="implement/T3/attempt-1/dispatch-1", seconds=3, agent="command"),
        Working(key="implement/T4/attempt-1/dispatch-1/pause", seconds=2, is_pause=True),
    ),
)


def texts(scene: Scene, columns: int, rows: int) -> list[str]:
    return [line.text for line in live_lines(scene, columns, rows)]


def test_a_terminal_shows_steps_agents_and_what_each_is_doing() -> None:
    assert texts(BUSY, 100, 24) == [
        "SHOP-12 Discount codes                                     4:31 · 31.9k tokens · $0.12 · 1 failed",
        "✓ refine  ✓ memory  ✓ analyze  ✓ plan  ▸ implement  · test  · verify  · report",
        "⠋ T1 attempt 2    claude  Edit src/shop/codes.py                   1 retry · 12 tool calls · 1:23",
        "    Percentages first.",
        "⠋ T2 turn 2       codex  thinks                                                              0:41",
        "⠋ T3              command  works                                                             0:03",
        "⠋ verify final T1 file                                                                       0:00",
        "‖ T4              waits before the next try                                                  0:02",
    ]


def test_a_narrow_and_short_terminal_shows_less_of_the_same() -> None:
    assert texts(BUSY, 40, 5) == [
        "SHOP-12 Discount codes",
        "⠋ T1 attempt 2  Edit src/shop/…  1:23",
        "⠋ T2 turn 2  thinks              0:41",
        "  and 3 more",
    ]
    assert texts(BUSY, 30, 2) == ["⠋ T1 attempt 2  Edit…  1:23"]


NASTY = st.text(st.characters(), max_size=60) | st.sampled_from(
    ("\x1b[2J\x1b[H", "日本語" * 30, "e\u0301" * 40, "\u202eabc", "a\nb\rc", "👩‍👩‍👧" * 9, "\x9b31m")
)


@given(words=NASTY, tool=NASTY, title=NASTY, columns=st.integers(1, 130), rows=st.integers(1, 40))
def test_whatever_an_agent_says_no_line_is_too_wide_and_none_steers_the_terminal(
    words: str, tool: str, title: str, columns: int, rows: int
) -> None:
    """A line that wraps, or moves the cursor, would leave garbage behind with every redraw."""
    doing = Doing(tool=tool, about=words, words=words, tool_calls=3, cost_usd=0.5)
    one = Working(key=f"implement/{title}/attempt-1/dispatch-1", seconds=5, agent="claude", doing=doing)

    lines = texts(Scene(title=title, step="implement", working=(one, one, one)), columns, rows)

    assert len(lines) <= max(1, rows - 1)
    assert all(width(line) <= max(1, columns - 3) for line in lines)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for line in lines for char in line)


@given(text=NASTY, columns=st.integers(0, 40))
def test_cut_text_fits_at_either_end(text: str, columns: int) -> None:
    assert width(fit(plain(text), columns)) <= columns
    assert width(fit_end(plain(text), columns)) <= columns


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("implement/T1/attempt-1/dispatch-1", "T1"),
        ("implement/T1/attempt-2/dispatch-3", "T1 attempt 2 turn 3"),
        ("plan/attempt-1/dispatch-1", "plan"),
        ("report/certify", "report certify"),
    ],
)
def test_effects_have_names_for_people(key: str, name: str) -> None:
    assert label(key) == name


def test_a_heartbeat_says_how_long_and_how_much() -> None:
    doing = Doing(tool="Bash", about="pytest -q", tool_calls=7)

    assert heartbeat(Working(key="implement/T1/attempt-1/dispatch-1", seconds=95, doing=doing)) == (
        "… implement/T1/attempt-1/dispatch-1: still working after 1:35, 7 tool calls, now Bash pytest -q"
    )
    assert heartbeat(Working(key="k", seconds=30)) == "… k: still working after 0:30"
