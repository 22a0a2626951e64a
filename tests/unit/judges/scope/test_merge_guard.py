"""Which files a merge may take away."""

from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.judges.scope.merge_guard import Side, lost_files

Tree = dict[str, int]
TREES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2))


def changes(before: Tree, after: Tree) -> tuple[PathChange, ...]:
    gone = [PathChange(path=path, kind=ChangeKind.DELETED) for path in before if path not in after]
    new = [PathChange(path=path, kind=ChangeKind.ADDED) for path in after if path not in before]
    other = [
        PathChange(path=path, kind=ChangeKind.MODIFIED)
        for path in before
        if path in after and after[path] != before[path]
    ]
    return (*gone, *new, *other)


def lost(base: Tree, ours: Tree, theirs: Tree, merged: Tree) -> tuple[str, ...]:
    return lost_files(
        Side(changes(base, ours), changes(ours, merged)),
        Side(changes(base, theirs), changes(theirs, merged)),
    )


def test_what_one_side_deleted_and_the_other_left_alone_may_go() -> None:
    assert lost({"a": 0, "b": 0}, {"b": 0}, {"a": 0, "b": 1}, {"b": 1}) == ()


def test_what_one_side_changed_may_not_go_because_the_other_moved_it() -> None:
    assert lost({"a": 0}, {"moved": 0}, {"a": 1}, {"moved": 1}) == ("a",)


def test_what_one_side_created_may_not_go() -> None:
    assert lost({}, {"new": 1}, {}, {}) == ("new",)


def test_what_neither_side_deleted_may_not_go() -> None:
    assert lost({"a": 0}, {"a": 0}, {"a": 0, "b": 1}, {"b": 1}) == ("a",)


@given(base=TREES, ours=TREES, theirs=TREES, merged=TREES)
def test_a_file_goes_only_when_one_side_deleted_what_the_other_left_as_it_was(
    base: Tree, ours: Tree, theirs: Tree, merged: Tree
) -> None:
    for path in {*ours, *theirs}:
        one, other, before = ours.get(path), theirs.get(path), base.get(path)
        may_go = before is not None and {one, other} == {before, None}

        is_lost = path in lost(base, ours, theirs, merged)

        assert is_lost == (path not in merged and not may_go)
