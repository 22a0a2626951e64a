"""Build the two mixed trees: the base with the new tests, and the result with the base's own tests."""

from signoff.core.test_reports import is_test_path
from signoff.domain.checks import Place
from signoff.domain.ids import TreeId
from signoff.domain.outcomes import TestsLaid
from signoff.domain.ports import Repository
from signoff.domain.trees import ChangeKind


def lay_tests(repository: Repository, place: Place, base: TreeId, final: TreeId) -> TestsLaid:
    """Lay test files of one tree over the other; the same trees give the same tree, anywhere."""
    onto, source, not_there = base, final, ChangeKind.DELETED
    if place is Place.FINAL_WITH_BASE_TESTS:
        onto, source, not_there = final, base, ChangeKind.ADDED
    paths = tuple(
        change.path
        for change in repository.changes(base, final)
        if change.kind is not not_there and is_test_path(change.path)
    )
    return TestsLaid(tree=repository.overlay(onto, source, paths), count=len(paths))
