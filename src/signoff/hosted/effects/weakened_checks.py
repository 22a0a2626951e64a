"""Check whether a host weakened what its work is judged by: tests, runner settings, programs of the gates.

A test run that passes says nothing once the tests are gone or are not collected any more.
"""

from collections.abc import Mapping
from typing import NamedTuple

from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.evidence.case_records import TOO_LONG, FileSides, Reader
from signoff.domain.evidence.gates import FAILING, GateSeverity
from signoff.domain.machine.trees import PathChange
from signoff.domain.ports import Workplace
from signoff.domain.run.directives import Facts
from signoff.domain.work.settings import CheckSettings
from signoff.judges.test_integrity.comparison.integrity_verdict import is_judged, judge, own_packages
from signoff.project.detection.protected_changes import gate_programs, protected_changes


class LoweredChecks(NamedTuple):
    """What was weakened, and what could not be judged."""

    findings: tuple[Finding, ...]
    unread: tuple[str, ...]
    """Changed test files that nothing here can read, so that it is unknown whether they are as strict."""


def judge_weakening(
    place: Workplace,
    base: TreeId,
    final: TreeId,
    changes: tuple[PathChange, ...],
    settings: CheckSettings,
    facts: Facts,
    readers: Mapping[str, Reader],
) -> LoweredChecks:
    """Return everything that was weakened, and what could not be judged."""
    programs = gate_programs(facts, place.paths(base), lambda path: place.read(base, path), settings)
    protected = protected_changes(changes, place.read, base, final, settings, programs)
    tests = _weakened(place, base, final, changes, readers)
    return LoweredChecks((*protected, *tests.findings), tests.unread)


def _weakened(
    place: Workplace,
    base: TreeId,
    final: TreeId,
    changes: tuple[PathChange, ...],
    readers: Mapping[str, Reader],
) -> LoweredChecks:
    """Compare the changed test files and runner settings of both trees.

    Only findings that fail a gate count. A file that was not judged in time is a finding too, so that its
    size is no way around the comparison.
    """
    paths = [change.path for change in changes if is_judged(change.path)]
    if not paths:
        return LoweredChecks((), ())
    sides = [
        FileSides(path, _decoded(place.read(base, path)), _decoded(place.read(final, path))) for path in paths
    ]
    judged = judge(sides, readers, own_packages(place.paths(final)), frozenset())
    weakened = [found for found in judged.findings if GateSeverity(found.severity) in FAILING]
    late = [one for one in judged.not_judged if one.reason == TOO_LONG]
    findings = (
        *(Finding(code=str(found.kind), path=found.path, message=found.message) for found in weakened),
        *(Finding(code="not-judged", path=one.path, message=one.reason) for one in late),
    )
    return LoweredChecks(findings, tuple(f"{one.path}: {one.reason}" for one in judged.not_judged))


def _decoded(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")
