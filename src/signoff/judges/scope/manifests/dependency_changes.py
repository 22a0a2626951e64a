"""What a change did to the dependencies of a project.

Pure. Manifests are compared wherever they lie in the tree, with the files they have requirements read from.
A manifest that is a program (`setup.py`, a Gemfile) is read for additions it shows plainly. Beyond that a
change to it could not be judged, just as a change to one that does not parse, or whose format has no reader.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from signoff.domain.base.findings import Finding, shown
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.work.checks import DependencyRule
from signoff.judges.scope.change_scope import Reader, ScanResult
from signoff.judges.scope.manifests.dependency_records import (
    VERSIONS,
    Dependencies,
    Dependency,
    ManifestReader,
)
from signoff.judges.scope.manifests.dependency_references import drawn_in, possible_lists, read_by_setup
from signoff.judges.scope.manifests.manifest_kinds import LISTED, Manifest, is_lock, manifest_of

_ADDRESS: Final = re.compile(
    r"""://|git@|\bgit\+|(?:^|["'\s])(?:file|link|portal|patch|exec|github|gitlab|bitbucket|gist|workspace):"""
    r"""|"(?:git|url|path|file|package|registry|registry-index|index|source|hosted|workspace)":"""
    r"""|^(?:git|url|path|hosted|sdk)\s*[:=]|^"[\w.-]+/[\w.-]+(?:\#[^"]*)?"$|^["'](?:~|\.{1,2})?/|^(?:~|\.{1,2})/"""
    r"""|/(?:systemPath|HintPath)\b""",
    re.MULTILINE,
)
"""Where what is said about a dependency names a place, and not only versions of what an index has."""


def dependency_findings(
    changes: Iterable[PathChange], before: Reader, after: Reader, rule: DependencyRule
) -> ScanResult:
    """Return what the rule forbids in the manifests that changed, and those that could not be judged.

    `none-added` looks for names a manifest did not have. `unchanged` looks for any difference, and there a
    lock file counts as well, because it decides which versions are taken.
    """
    findings: list[Finding] = []
    undecided: list[str] = []
    listed = tuple(changes)
    named = _drawn_in([change.path for change in listed], before, after)
    for change in listed:
        if is_lock(change.path) and rule is DependencyRule.UNCHANGED:
            findings.append(
                _finding("dependency-changed", change, f"{change.kind}, and it pins dependencies")
            )
        elif manifest := manifest_of(change.path) or named.get(change.path):
            found = _judge(change, manifest, before, after, rule)
            findings += found.findings
            undecided += found.undecided
    return ScanResult(tuple(findings), tuple(undecided))


_BY_A_PROGRAM: Final = Manifest(None, is_program=True)


def _drawn_in(paths: list[str], before: Reader, after: Reader) -> dict[str, Manifest]:
    """Return the files that count as manifests although their names do not show it."""
    lists = possible_lists(paths)
    if not lists:
        return {}
    sides = (cache(before), cache(after))  # the same few manifests are asked about for every file
    named = frozenset[str]().union(*(drawn_in(paths, read) for read in sides))
    run = (path for path in lists if any(read_by_setup(path, read) for read in sides))
    return dict.fromkeys(run, _BY_A_PROGRAM) | dict.fromkeys(named.intersection(lists), LISTED)


def _judge(
    change: PathChange, manifest: Manifest, before: Reader, after: Reader, rule: DependencyRule
) -> ScanResult:
    """Return what one changed manifest shows.

    What cannot be read on both sides is undecided, never a pass.
    """
    if change.kind is ChangeKind.RETYPED:
        return _open(change, "is no longer the same kind of file")
    if change.kind is ChangeKind.DELETED and rule is DependencyRule.NONE_ADDED:
        return ScanResult()
    if manifest.read is None:
        why = "is read by a program" if manifest.is_program else "is a manifest of a kind that is not read"
        return _open(change, f"{why}, and its dependencies are not known")
    old = {} if change.kind is ChangeKind.ADDED else _read(manifest.read, before(change.path))
    new = {} if change.kind is ChangeKind.DELETED else _read(manifest.read, after(change.path))
    if new is None or old is None:
        return _open(change, f"cannot be read {'after' if new is None else 'before'} the change")
    findings = tuple(_differences(change, old, new, rule))
    if manifest.is_program and not findings:
        return _open(change, "is a program, and only running it would show its dependencies")
    moved = _from_elsewhere(old, new) if rule is DependencyRule.NONE_ADDED else []
    return ScanResult(
        findings, tuple(f"{shown(change.path)} takes {name} from another place" for name in moved)
    )


def _read(read: ManifestReader, data: bytes | None) -> Dependencies | None:
    try:
        return read(data or b"")
    except (ValueError, RecursionError):  # what does not parse, does not decode, or is odd is a ValueError
        return None


def _differences(
    change: PathChange, old: Dependencies, new: Dependencies, rule: DependencyRule
) -> Iterator[Finding]:
    """Yield a finding for each new name and, if nothing may change, for each entry that differs.

    A name is new if no table held it before, so a dependency that moves between tables is not added. An
    entry of the versions table is never a new dependency.
    """
    known = {entry.name for entry in old}
    added = {entry.name for entry in new if entry.name not in known and entry.table != VERSIONS}
    for name in sorted(added):
        yield _finding("dependency-added", change, f"{name} is a new dependency")
    if rule is DependencyRule.UNCHANGED:
        entries = {entry for entry in {*old, *new} if old.get(entry) != new.get(entry)}
        for name in sorted({entry.name for entry in entries} - added):
            yield _finding("dependency-changed", change, f"{name} is not declared as it was")


def _from_elsewhere(old: Dependencies, new: Dependencies) -> list[str]:
    """Return known names whose address changed: behind the name may be another project altogether."""
    known = {entry.name for entry in old} & {entry.name for entry in new}

    def is_moved(entry: Dependency) -> bool:
        one, other = old.get(entry), new.get(entry)
        return one != other and any(_ADDRESS.search(text) for text in (one, other) if text)

    return sorted({e.name for e in {*old, *new} if e.name in known and e.table != VERSIONS and is_moved(e)})


def _open(change: PathChange, why: str) -> ScanResult:
    return ScanResult(undecided=(f"{shown(change.path)} {why}",))


def _finding(code: str, change: PathChange, message: str) -> Finding:
    return Finding(code=code, message=message, path=shown(change.path))
