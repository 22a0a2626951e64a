"""Five figures on hosted runs; what cannot be computed is left out, never zero."""

from datetime import datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.typed_ids import RunId
from signoff.hosted.report.metrics import WINDOW, Metrics, RunFacts, metrics
from signoff.text.timestamps import elapsed_ms

MONDAY = datetime.fromisoformat("2026-03-02T09:00:00+00:00")


def at(hours: float) -> str:
    return (MONDAY + timedelta(hours=hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run(number: int, took_h: float | None = None, **facts: object) -> RunFacts:
    """Give a run that started so many hours after the first Monday."""
    ended = {} if took_h is None else {"ended_at": at(number + took_h), "is_reported": True}
    base = {"run": RunId(f"R{number:04}"), "started_at": at(number), **ended}
    return msgspec.convert({**base, **facts}, RunFacts)


def test_the_names_are_the_five_that_were_promised() -> None:
    """Whoever collects them goes by these names."""
    assert Metrics.__struct_fields__ == (
        "time_to_verified_change_ms",
        "block_rate",
        "memory_decision_rate",
        "repeat_user_runs_per_week",
        "report_rejections",
    )


def test_without_runs_nothing_is_known() -> None:
    """A zero would read as: measured, and none."""
    assert metrics(()) == Metrics()


def test_an_open_run_says_only_whether_it_waited() -> None:
    assert metrics([run(1)]) == Metrics(block_rate=0.0)


@pytest.mark.parametrize(
    ("hours", "median_h"), [((3,), 3), ((1, 9), 5), ((1, 2, 30), 2), ((4, 1, 2, 3), 2.5)]
)
def test_the_time_to_a_verified_change_is_a_median(hours: tuple[float, ...], median_h: float) -> None:
    """One run that lay open over a weekend must not become the figure."""
    runs = [run(n, took, is_verified=True) for n, took in enumerate(hours)]

    assert metrics(runs).time_to_verified_change_ms == median_h * 3_600_000


def test_runs_that_were_not_verified_have_no_time() -> None:
    """A plan without work is quick, and no change."""
    runs = [run(1, 2.0, is_verified=True), run(2, 0.001)]

    assert metrics(runs).time_to_verified_change_ms == 7_200_000
    assert metrics(runs[1:]).time_to_verified_change_ms is None


def test_the_block_rate_is_about_the_last_twenty_runs() -> None:
    """What went wrong in spring says nothing about how it runs today."""
    early = [run(n, waited_for_person=True) for n in range(30)]
    late = [run(100 + n, waited_for_person=n < 5) for n in range(WINDOW)]

    assert metrics([*late, *early]).block_rate == 0.25
    assert metrics(late[:8]).block_rate == 0.625


def test_memory_counts_only_where_there_was_some() -> None:
    runs = [run(1, hits=3, mattered=1), run(2, hits=2), run(3), run(4)]

    assert metrics(runs).memory_decision_rate == 0.5
    assert metrics(runs[2:]).memory_decision_rate is None


@pytest.mark.parametrize(
    ("users", "hours", "per_week"),
    [
        (("", ""), (0, 1), None),
        (("ada",), (0,), 0.0),
        (("ada", "ada", "ada"), (0, 1, 2), 2.0),
        (("ada", "bob"), (0, 1), 0.0),
        (("ada", "bob", "ada", ""), (0, 1, 2, 3), 1.0),
        (("ada", "ada", "ada"), (0, 1, 2 * 7 * 24), 1.0),
    ],
)
def test_people_who_come_back_are_counted_by_the_week(
    users: tuple[str, ...], hours: tuple[int, ...], per_week: float | None
) -> None:
    """A first try is no sign that anybody found it useful."""
    runs = [run(hour, user=user) for user, hour in zip(users, hours, strict=True)]

    assert metrics(runs).repeat_user_runs_per_week == per_week


def test_a_report_that_was_taken_up_again_was_rejected_once() -> None:
    runs = [run(1, 1.0), run(2, 1.0, parent="R0001"), run(3, parent="R0001"), run(4, parent="R9999")]

    assert metrics(runs).report_rejections == 1
    assert metrics(runs[1:2]).report_rejections == 0
    assert metrics(runs[2:]).report_rejections is None


facts = st.builds(
    run,
    st.integers(0, 3000),
    st.none() | st.floats(0, 50),
    is_verified=st.booleans(),
    waited_for_person=st.booleans(),
    hits=st.integers(0, 12),
    mattered=st.integers(0, 12),
    user=st.sampled_from(("", "ada", "bob")),
    parent=st.none() | st.integers(0, 3000).map(lambda n: f"R{n:04}"),
)


@given(st.data(), st.lists(facts, max_size=40, unique_by=lambda found: found.run))
def test_the_order_in_which_runs_are_listed_changes_nothing(
    data: st.DataObject, runs: list[RunFacts]
) -> None:
    """Folders are listed as the disk likes."""
    found = metrics(runs)

    assert metrics(data.draw(st.permutations(runs))) == found
    assert found.block_rate is None or 0 <= found.block_rate <= 1
    assert found.memory_decision_rate is None or 0 <= found.memory_decision_rate <= 1


@pytest.mark.parametrize(
    ("started", "ended", "took"),
    [
        ("2026-03-02T09:00:00.250Z", "2026-03-02T09:00:01.500Z", 1250),
        ("2026-03-02T09:00:00Z", "2026-03-02T10:00:00+01:00", 0),
        ("2026-03-02T09:00:01Z", "2026-03-02T09:00:00Z", None),
        ("", "2026-03-02T09:00:00Z", None),
        ("2026-03-02T09:00:00Z", "soon", None),
    ],
)
def test_time_is_measured_between_moments_in_their_order(started: str, ended: str, took: int | None) -> None:
    """A clock that was set back measures nothing; a negative time would pull the median down."""
    assert elapsed_ms(started, ended) == took
