"""Changes to what a project is judged by: its settings, its runners, the programs its gates run. Pure."""

from __future__ import annotations

from collections.abc import Callable

from signoff.judges.scope.change_scope import protected_findings
from signoff.project.detection.extra_checks import bar_of_gates
from signoff.text.globs import matches_any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.domain.base.findings import Finding
    from signoff.domain.base.typed_ids import TreeId
    from signoff.domain.machine.trees import PathChange
    from signoff.domain.run.directives import Facts
    from signoff.domain.work.settings import CheckSettings

ReadTree = Callable[["TreeId", str], "bytes | None"]


def gate_programs(
    facts: Facts, paths: frozenset[str], read: Callable[[str], bytes | None], settings: CheckSettings
) -> tuple[str, ...]:
    """Return the files of the base that the gates run, without those that the settings take off."""
    programs = bar_of_gates(facts, paths, read)
    return tuple(path for path in programs if not matches_any(path, settings.unprotected))


def protected_changes(
    changes: tuple[PathChange, ...],
    read: ReadTree,
    before: TreeId,
    after: TreeId,
    settings: CheckSettings,
    programs: tuple[str, ...],
) -> tuple[Finding, ...]:
    """Return a finding for each change to a protected path or to one of the gates' `programs`."""
    return protected_findings(
        changes,
        lambda path: read(before, path),
        lambda path: read(after, path),
        (*settings.protected, *programs),
        settings.unprotected,
    )
