"""How much of one bug list another one found again."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.audits.bug_lists import MAX_BUGS, Bug, Likeness, alike, compare, read_bugs, wilson

LIST = """# Bugs

### BUG-001: An empty basket divides by zero

- **File:** `src/basket.py:42`
- **Requirement:** REQ-003 (totals)

#### Notes
**Line**: 99

### BUG-H2 - Prices are floats
**Location**: ./src/price.py, line 7

### BUG-003 (src/tax.py:5)

```
### BUG-004: in a fence
```
<!--
### BUG-005: in a comment
-->
## BUG-006: at the wrong level
### BUGS found elsewhere
BUG-007 is mentioned.
### BUG-001: again
- File: src/other.py
"""


def test_headings_of_level_three_are_bugs_with_what_stands_below_them() -> None:
    bugs, warnings = read_bugs(LIST)
    assert bugs == (
        Bug("BUG-001", "An empty basket divides by zero", "src/basket.py", 42, "REQ-003", 3),
        Bug("BUG-H2", "Prices are floats", "src/price.py", 7, "", 11),
        Bug("BUG-003", "(src/tax.py:5)", "src/tax.py", 5, "", 14),
    )
    assert [(one.code, one.line) for one in warnings] == [("heading-level", 22), ("duplicate-bug", 25)]


def test_a_list_of_thousands_ends_and_says_so() -> None:
    bugs, warnings = read_bugs("\n".join(f"### BUG-{n}" for n in range(MAX_BUGS + 5)))
    assert len(bugs) == MAX_BUGS
    assert [one.code for one in warnings] == ["too-many-bugs"]


def ids(text: str) -> tuple[Bug, ...]:
    return read_bugs("\n".join(f"### {word}" for word in text.split())).bugs


def test_without_places_ids_decide() -> None:
    found = compare(ids("BUG-001 BUG-002 BUG-003"), ids("BUG-003 BUG-001 BUG-009"))
    assert [(pair.baseline.id, pair.current.id) for pair in found.pairs] == [
        ("BUG-001", "BUG-001"),
        ("BUG-003", "BUG-003"),
    ]
    assert [bug.id for bug in found.missed] == ["BUG-002"]
    assert [bug.id for bug in found.spurious] == ["BUG-009"]
    assert found.recall == found.precision == pytest.approx(2 / 3)


def test_nothing_known_gives_no_recall_and_nothing_found_no_precision() -> None:
    assert (compare((), ids("BUG-1")).recall, compare((), ids("BUG-1")).precision) == (None, 0.0)
    assert (compare(ids("BUG-1"), ()).recall, compare(ids("BUG-1"), ()).precision) == (0.0, None)


@pytest.mark.parametrize(
    ("known", "found", "likeness"),
    [
        (Bug("BUG-1", file="src/a.py", line=10), Bug("BUG-9", file="src/a.py", line=20), Likeness.LINE),
        (Bug("BUG-1", file="src/a.py", line=10), Bug("BUG-9", file="src/a.py", line=21), None),
        (Bug("BUG-1", file="src/a.py", line=10), Bug("BUG-1", file="src/b.py", line=10), None),
        (Bug("BUG-1", file="x/util.py"), Bug("BUG-2", file="y/util.py"), None),
        (Bug("BUG-1", file="pkg/x/util.py"), Bug("BUG-2", file="x/util.py"), Likeness.FILE),
        (Bug("BUG-1", file="xutil.py"), Bug("BUG-2", file="util.py"), None),
        (Bug("BUG-1", "Off by one", "a.py"), Bug("BUG-2", "off by ONE.", "a.py"), Likeness.TITLE),
        (Bug("BUG-1", "Total is off by one", "a.py"), Bug("BUG-2", "Off by one", "a.py"), Likeness.FILE),
        (Bug("BUG-1", "Off by one", "a.py"), Bug("BUG-2", "Leaks memory", "a.py"), None),
        (
            Bug("BUG-1", "Off by one", "a.py", 1, "REQ-1"),
            Bug("BUG-2", "Leaks memory", "a.py", 90, "REQ-1"),
            Likeness.REQUIREMENT,
        ),
        (Bug("BUG-1", "Off by one"), Bug("BUG-2", "Off by one", "a.py"), Likeness.TITLE),
        (Bug("BUG-1", "Off by one"), Bug("BUG-2", "Leaks"), None),
        (Bug("BUG-1"), Bug("bug-1"), Likeness.ID),
        (Bug("BUG-1", "Total is off by one"), Bug("BUG-1", "Off by one"), Likeness.ID),
        (Bug("BUG-1", "foo thing"), Bug("BUG-1", "bar other"), None),
        (Bug("BUG-1", "foo thing", "a.py"), Bug("BUG-1", "bar other"), None),
        (Bug("BUG-1", "foo thing", "a.py", 3), Bug("BUG-1", "bar other", "a.py", 90), None),
        (Bug("BUG-1", "foo thing", "a.py", 3), Bug("BUG-1", "the foo thing", "a.py", 90), Likeness.ID),
        (Bug("BUG-1", "foo thing", "a.py", 3), Bug("BUG-1", "bar other", "a.py"), Likeness.ID),
    ],
)
def test_the_place_decides_before_the_name(known: Bug, found: Bug, likeness: Likeness | None) -> None:
    """Ids are given anew in each run, and files of one name lie in many folders."""
    assert alike(known, found) is likeness
    assert alike(found, known) is likeness


def test_one_finding_recovers_one_of_two_bugs_in_a_file() -> None:
    known = (Bug("BUG-1", file="a.py", line=10), Bug("BUG-2", file="a.py", line=12))
    found = compare(known, (Bug("BUG-7", file="a.py", line=12),))
    assert [(pair.baseline.id, pair.current.id) for pair in found.pairs] == [("BUG-2", "BUG-7")]
    assert found.recall == 0.5


def test_somebody_moves_over_where_that_finds_a_partner_for_another() -> None:
    known = (Bug("BUG-1", file="a.py", line=10), Bug("BUG-2", file="a.py", line=1))
    found = (Bug("BUG-8", file="a.py", line=11), Bug("BUG-9", file="a.py", line=20))
    assert compare(known, found).recall == 1.0


BUGS = st.lists(
    st.builds(
        Bug,
        id=st.sampled_from(["BUG-1", "BUG-2", "BUG-3", "BUG-4"]),
        title=st.sampled_from(["", "off by one", "leak"]),
        file=st.sampled_from(["", "a.py", "x/a.py", "y/a.py"]),
        line=st.none() | st.integers(1, 30),
        requirement=st.sampled_from(["", "REQ-1", "REQ-2"]),
    ),
    max_size=4,
)


@given(BUGS, BUGS)
def test_pairs_are_one_to_one_and_as_many_as_can_be(known: list[Bug], found: list[Bug]) -> None:
    result = compare(known, found)
    assert len(result.pairs) + len(result.missed) == len(known)
    assert len(result.pairs) + len(result.spurious) == len(found)
    assert all(alike(pair.baseline, pair.current) is pair.by for pair in result.pairs)
    seats = [*found, *[None] * len(known)]
    most = max(
        sum(seat is not None and alike(one, seat) is not None for one, seat in zip(known, order, strict=True))
        for order in itertools.permutations(seats, len(known))
    )
    assert len(result.pairs) == most


@given(st.text(alphabet=st.sampled_from(list("#BUG-1 :\n`*<!->File/.py0123")), max_size=200))
def test_no_text_crashes_it(text: str) -> None:
    bugs, _ = read_bugs(text)
    assert len({bug.id for bug in bugs}) == len(bugs)


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(0, 0) is None
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


@given(st.integers(0, 200), st.integers(1, 200))
def test_an_interval_holds_its_share(part: int, whole: int) -> None:
    part = min(part, whole)
    interval = wilson(part, whole)
    assert interval is not None
    assert 0 <= interval.low <= part / whole <= interval.high <= 1
