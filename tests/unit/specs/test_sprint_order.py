"""In which order sprints are delivered, what waits for what, and what is written back."""

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from spec_bench import SPRINT, WHEN, spec_file

from signoff.contracts.files.document_files import read_spec
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.specs.sprint_order import (
    SprintStage,
    SprintStanding,
    in_order,
    is_blocked,
    moved,
    next_stage,
    write_moved,
)
from signoff.text.json.camel_case import to_camel


def stage(number: int, *depends_on: int) -> SprintStage:
    name, before = f"S{number}", tuple(f"S{n}" for n in depends_on)
    sprint = {**SPRINT, "contract_id": name, "sprint_number": number, "depends_on": list(before)}
    return SprintStage(name, msgspec.convert(sprint, Sprint), None, before)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[SprintStage, ...]:
    """Sprints without a circle, in any order."""
    count = draw(st.integers(1, 7))
    made = [
        stage(n, *draw(st.sets(st.integers(1, n - 1), max_size=3))) if n > 1 else stage(1)
        for n in range(1, count + 1)
    ]
    return tuple(draw(st.permutations(made)))


@given(graphs())
def test_every_sprint_comes_once_and_after_those_it_depends_on(stages: tuple[SprintStage, ...]) -> None:
    """A sprint that is delivered too early is built on something that is not there."""
    ordered = in_order(stages)

    assert sorted(one.id for one in ordered) == sorted(one.id for one in stages)
    for n, one in enumerate(ordered):
        assert set(one.depends_on) <= {before.id for before in ordered[:n]}


def test_of_a_circle_nothing_is_given() -> None:
    assert in_order((stage(1, 2), stage(2, 1))) == ()


@given(graphs(), st.sets(st.integers(1, 7)))
def test_a_walk_ends_and_only_what_waits_for_a_failure_is_left(
    stages: tuple[SprintStage, ...], failing: set[int]
) -> None:
    """Each call tries each sprint at most once; a refused one stops its dependants and nobody else."""
    ordered = in_order(stages)
    bad = {f"S{n}" for n in failing}
    standings = {one.id: SprintStanding.PENDING for one in stages}
    tried: list[str] = []
    while (one := next_stage(ordered, standings, tried)) is not None:
        tried.append(one.id)
        standings[one.id] = SprintStanding.FAILED if one.id in bad else SprintStanding.DONE

    assert len(tried) == len(set(tried))
    for left in (one for one in ordered if one.id not in tried):
        assert is_blocked(left, standings)
        assert standings[left.id] is SprintStanding.PENDING
    assert all(standings[name] is SprintStanding.DONE for name in tried if name not in bad)


def test_what_was_never_tried_comes_before_what_failed() -> None:
    """Otherwise `--next` would try the same sprint for ever."""
    standings = {"S1": SprintStanding.FAILED, "S2": SprintStanding.PENDING}

    found = next_stage((stage(1), stage(2)), standings, ())

    assert found is not None
    assert found.id == "S2"


def test_only_what_moved_is_written_in_the_spelling_of_the_file() -> None:
    """Somebody else's fields, their order and their spelling are none of our business."""
    first = {**SPRINT, "contract_id": "S1", "x_note": "kept"}
    raw = to_camel({**spec_file(sprints=[first, "S2"]), "unknown": {"a": 1}}, Spec)
    assert isinstance(raw, dict)
    document = read_spec(json.dumps(raw).encode())
    assert document.value is not None

    after = moved(
        document.value, {"S1": SprintStanding.DONE, "S2": SprintStanding.OPEN}, {"S1": "R1", "S2": "R2"}, WHEN
    )
    written = json.loads(write_moved(document, after))

    assert written["status"] == "in-progress"
    assert written["sprintRuns"]["S2"] == {"status": "in-progress", "runId": "R2"}
    assert written["sprints"][0]["status"] == "completed"
    assert written["sprints"][0]["x_note"] == "kept"
    assert list(written) == [*raw, "sprintRuns"]
    same = ("status", "updatedAt", "sprints", "sprintRuns")
    assert {k: v for k, v in written.items() if k not in same} == {
        k: v for k, v in raw.items() if k not in same
    }
    again = read_spec(json.dumps(written).encode()).value
    assert again is not None
    runs = {"S1": "R1", "S2": "R2"}
    assert (
        moved(again, {"S1": SprintStanding.DONE, "S2": SprintStanding.OPEN}, runs, "2027-01-01T00:00:00Z")
        is again
    )


def test_a_spec_is_completed_when_every_sprint_is_done() -> None:
    spec = msgspec.convert(spec_file(sprints=["S1"]), Spec)

    done = moved(spec, {"S1": SprintStanding.DONE}, {"S1": "R1"}, WHEN)

    assert (done.status, done.completed_at, done.updated_at) == ("completed", WHEN, WHEN)
