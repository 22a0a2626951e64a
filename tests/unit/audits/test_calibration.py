"""The verdict of a calibration cycle."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.audits.calibration import CycleJudged, CycleReading, as_decimal, judge_cycle, read_cycle


def written(**changes: object) -> str:
    """Give a cycle as text; numbers as strings of digits stay as they are written."""
    fields = {
        "recall_before": '{"a": 0.60}',
        "recall_after": '{"a": 0.70}',
        "council": '"ship"',
        "iteration": "1",
        **changes,
    }
    return "{" + ", ".join(f'"{name}": {text}' for name, text in fields.items() if text is not None) + "}"


def read(text: str) -> CycleReading:
    return read_cycle(text.encode())


def judge(**changes: object) -> CycleJudged:
    cycle, violations = read(written(**changes))
    assert cycle is not None, violations
    return judge_cycle(cycle)


def test_a_gain_that_the_council_wants_ships() -> None:
    judged = judge()
    assert (judged.verdict, judged.clean, judged.regressions) == ("ship", True, ())
    assert judged.delta == {"a": Fraction(1, 10)}


@pytest.mark.parametrize(
    ("before", "after"),
    [("0.10", "0.15"), ("0.60", "0.65"), ("0.15", "0.20"), ("0.3", "0.35"), ("0", "5e-2")],
)
def test_exactly_the_floor_is_noise(before: str, after: str) -> None:
    """In binary some of these are above the floor, and some below."""
    judged = judge(recall_before=f'{{"a": {before}}}', recall_after=f'{{"a": {after}}}')
    assert judged.verdict == "iterate"
    back = judge(recall_before=f'{{"a": {after}}}', recall_after=f'{{"a": {before}}}')
    assert (back.verdict, back.clean) == ("iterate", True)


def test_a_hair_above_the_floor_counts() -> None:
    above = '{"a": 0.6500000000000000000000000001}'
    assert judge(recall_before='{"a": 0.60}', recall_after=above).verdict == "ship"
    assert judge(recall_before=above, recall_after='{"a": 0.60}').verdict == "revert"


@pytest.mark.parametrize(
    ("council", "after", "iteration", "verdict"),
    [
        ("ship", "0.70", 1, "ship"),
        ("ship", "0.70", 3, "ship"),
        ("ship", "0.62", 1, "iterate"),
        ("ship", "0.62", 2, "iterate"),
        ("ship", "0.62", 3, "halt-iterate-cap"),
        ("ship", "0.62", 4, "halt-iterate-cap"),
        ("ship", "0.50", 1, "revert"),
        ("block", "0.62", 1, "revert"),
        ("block", "0.62", 3, "revert"),
        ("block", "0.70", 1, "iterate"),
        ("block", "0.70", 3, "halt-iterate-cap"),
        ("iterate", "0.70", 1, "iterate"),
        ("iterate", "0.70", 3, "halt-iterate-cap"),
        ("iterate", "0.50", 1, "revert"),
    ],
)
def test_the_verdict_follows_from_council_gain_and_iteration(
    council: str, after: str, iteration: int, verdict: str
) -> None:
    judged = judge(recall_after=f'{{"a": {after}}}', council=f'"{council}"', iteration=iteration)
    assert judged.verdict == verdict


def test_one_fallen_benchmark_reverts_what_helped_another() -> None:
    judged = judge(recall_before='{"a": 0.6, "b": 0.5}', recall_after='{"a": 0.9, "b": 0.4}')
    assert (judged.verdict, judged.clean, judged.regressions) == ("revert", False, ("b",))
    assert judged.delta == {"a": Fraction(3, 10), "b": Fraction(-1, 10)}


def test_a_regression_names_the_bugs_it_lost() -> None:
    judged = judge(
        recall_before='{"a": 0.6, "b": 0.5}',
        recall_after='{"a": 0.6, "b": 0.4}',
        bugs_before='{"a": ["BUG-1"], "b": ["BUG-2", "BUG-3", "BUG-4"]}',
        bugs_after='{"a": ["BUG-9"], "b": ["BUG-3"]}',
    )
    assert judged.regressions == ("b/BUG-2", "b/BUG-4")
    assert judged.lost == {"a": ("BUG-1",), "b": ("BUG-2", "BUG-4")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 0.6, "b": 0.5}', '{"a": 0.9}'),
        ('{"a": 0.6}', '{"a": 0.9, "b": 1}'),
        ('{"a": 0.6, "b": null}', '{"a": 0.9, "b": 1}'),
    ],
)
def test_a_benchmark_that_was_not_measured_twice_ships_nothing(before: str, after: str) -> None:
    """It may have fallen."""
    judged = judge(recall_before=before, recall_after=after)
    assert (judged.verdict, judged.clean, judged.delta["b"]) == ("iterate", False, None)


def test_floor_and_cap_can_be_set() -> None:
    assert judge(noise_floor="0.1").verdict == "iterate"
    assert judge(noise_floor="0").verdict == "ship"
    assert judge(council='"iterate"', iteration=3, iterate_cap="4").verdict == "iterate"


@pytest.mark.parametrize(
    "change",
    [
        {"recall_before": None},
        {"recall_after": None},
        {"council": None},
        {"council": '"yes"'},
        {"council": "[]"},
        {"recall_before": "{}", "recall_after": "{}"},
        {"recall_before": "[]"},
        {"recall_after": '{"a": "0.7"}'},
        {"recall_after": '{"a": true}'},
        {"recall_after": '{"a": 1.01}'},
        {"recall_after": '{"a": -0.1}'},
        {"recall_after": '{"a": NaN}'},
        {"recall_after": '{"a": 1e-999999999}'},
        {"recall_after": '{"a": 0.' + "1" * 60 + "}"},
        {"recall_after": '{"a": 0.7, "a": 0.8}'},
        {"iteration": "0"},
        {"iteration": "1.0"},
        {"iteration": "true"},
        {"iterate_cap": '"3"'},
        {"noise_floor": "-0.05"},
        {"noise_floor": "null"},
        {"bugs_before": '{"a": "BUG-1"}'},
        {"bugs_after": '{"a": [1]}'},
    ],
)
def test_what_was_not_measured_has_no_verdict(change: dict[str, Any]) -> None:
    cycle, violations = read(written(**change))
    assert cycle is None
    assert violations


# --- against another way to compute it ---

HUNDREDTHS = st.integers(0, 100).map(lambda n: f"{n / 100:.2f}") | st.sampled_from(
    ["0.1", "0.15", "5e-2", "1", "0.049999999999999999"]
)
CELLS = st.dictionaries(st.sampled_from("abc"), st.tuples(HUNDREDTHS, HUNDREDTHS), min_size=1)


def expected(cells: dict[str, tuple[str, str]], council: str, iteration: int, cap: int, floor: str) -> str:
    """The verdict, from scaled integers."""
    scale = 10**20
    changes = [int(Decimal(after) * scale) - int(Decimal(before) * scale) for before, after in cells.values()]
    limit = int(Decimal(floor) * scale)
    if min(changes) < -limit:
        return "revert"
    if council == "block" and max(changes) <= limit:
        return "revert"
    if council == "ship" and max(changes) > limit:
        return "ship"
    return "halt-iterate-cap" if iteration >= cap else "iterate"


@given(
    CELLS,
    st.sampled_from(["ship", "block", "iterate"]),
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from(["0.05", "0.05", "0.1", "0", "0.01"]),
)
@example({"a": ("0.1", "0.15")}, "ship", 1, 3, "0.05")
@example({"a": ("0.60", "0.65")}, "ship", 1, 3, "0.05")
@example({"a": ("0.15", "0.1")}, "ship", 3, 3, "0.05")
def test_the_verdict_is_exact(
    cells: dict[str, tuple[str, str]], council: str, iteration: int, cap: int, floor: str
) -> None:
    before = "{" + ", ".join(f'"{name}": {pair[0]}' for name, pair in cells.items()) + "}"
    after = "{" + ", ".join(f'"{name}": {pair[1]}' for name, pair in cells.items()) + "}"
    judged = judge(
        recall_before=before,
        recall_after=after,
        council=f'"{council}"',
        iteration=iteration,
        iterate_cap=cap,
        noise_floor=floor,
    )
    assert judged.verdict == expected(cells, council, iteration, cap, floor)
    for name, (was, became) in cells.items():
        assert Fraction(as_decimal(judged.delta[name]) or "") == Fraction(became) - Fraction(was)


NAMES = st.sampled_from(["recall_before", "recall_after", "council", "iteration", "bugs_before"])
CELL = st.none() | st.floats() | st.text(max_size=3)
CYCLES = st.dictionaries(
    NAMES,
    st.none() | st.integers() | st.text(max_size=3) | st.dictionaries(st.text(max_size=2), CELL, max_size=2),
)


@given(st.binary(max_size=100) | CYCLES.map(lambda one: json.dumps(one).encode()))
def test_nothing_crashes_it(data: bytes) -> None:
    cycle, violations = read_cycle(data)
    assert cycle is not None or violations
