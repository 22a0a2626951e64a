"""Build the two mixed trees: the base with the new tests, and the result with the base's own tests."""

import msgspec

from signoff.app.job import Job
from signoff.core.globs import matches_any
from signoff.core.test_reports import is_test_path, was_collected
from signoff.domain.checks import Place
from signoff.domain.effects import LayTests
from signoff.domain.outcomes import TestsLaid
from signoff.domain.ports import Repository
from signoff.domain.receipts import TestReport
from signoff.domain.trees import ChangeKind


def lay(job: Job, effect: LayTests) -> TestsLaid:
    """Build one mixed tree of a run."""
    report = None
    if effect.baseline is not None:
        report = msgspec.json.decode(job.folder.blobs.get(effect.baseline), type=TestReport)
    return lay_tests(job.kit.repository, effect, report)


def lay_tests(repository: Repository, effect: LayTests, baseline: TestReport | None) -> TestsLaid:
    """Lay test files of one tree over the other; the same trees give the same tree, anywhere.

    The base's own tests run without any that were added: those could change how the old ones run.
    """
    tests = [
        change
        for change in repository.changes(effect.base, effect.final)
        if _is_test(change.path, effect.named, baseline)
    ]
    if effect.place is Place.FINAL_WITH_BASE_TESTS:
        paths = tuple(change.path for change in tests)
        return TestsLaid(tree=repository.overlay(effect.final, effect.base, paths), count=len(paths))
    paths = tuple(change.path for change in tests if change.kind is not ChangeKind.DELETED)
    return TestsLaid(tree=repository.overlay(effect.base, effect.final, paths), count=len(paths))


def _is_test(path: str, named: tuple[str, ...], baseline: TestReport | None) -> bool:
    if is_test_path(path) or matches_any(path, named):
        return True
    return baseline is not None and was_collected(path, baseline)
