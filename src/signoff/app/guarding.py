"""Find changes to what a project is judged by: its settings, its runners, the programs its gates run."""

from signoff.app.job import Job
from signoff.core.globs import matches_any
from signoff.core.scope import protected_findings
from signoff.core.strategies import bar_of_gates
from signoff.domain.findings import Finding
from signoff.domain.ids import TreeId
from signoff.domain.trees import Change
from signoff.flows.view import View


def bar_findings(job: Job, before: TreeId, after: TreeId, changes: tuple[Change, ...]) -> tuple[Finding, ...]:
    """Judge a change against the protected paths; which programs the gates run is read from the base."""
    repository, settings = job.kit.repository, job.settings.checks
    return protected_findings(
        changes,
        lambda path: repository.read(before, path),
        lambda path: repository.read(after, path),
        (*settings.protected, *_gate_programs(job)),
        settings.unprotected,
    )


def _gate_programs(job: Job) -> tuple[str, ...]:
    facts = View(job.state(), job.folder.blobs.get).facts()
    if facts is None:
        return ()
    repository, base = job.kit.repository, job.base_tree
    paths = frozenset(entry.path for entry in repository.entries(base))
    programs = bar_of_gates(facts, paths, lambda path: repository.read(base, path))
    return tuple(path for path in programs if not matches_any(path, job.settings.checks.unprotected))
