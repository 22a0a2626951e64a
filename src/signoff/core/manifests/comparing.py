"""What a change did to the dependencies of a project.

Pure; called by `app.predicates` for non-goals about dependencies. Manifests are looked at wherever they lie
in the tree. A manifest that is a program (`setup.py`, a Gemfile) is read for additions it shows plainly;
beyond that, a change to it could not be judged, just as a change to one that does not parse.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from signoff.core.manifests import lines, markup, tables
from signoff.core.manifests.shapes import VERSIONS, Dependencies, ManifestReader
from signoff.core.readings import Reading
from signoff.core.repo_paths import plain
from signoff.core.scope import Reader
from signoff.domain.checks import DependencyRule
from signoff.domain.findings import Finding, shown
from signoff.domain.trees import Change, ChangeKind

_BY_NAME: Final[dict[str, ManifestReader]] = {
    "package.json": tables.package_json,
    "bower.json": tables.package_json,
    "composer.json": tables.composer_json,
    "deno.json": tables.deno_json,
    "deno.jsonc": tables.deno_json,
    "import_map.json": tables.deno_json,
    "pyproject.toml": tables.pyproject,
    "cargo.toml": tables.cargo,
    "pipfile": tables.pipfile,
    "setup.cfg": tables.setup_cfg,
    "libs.versions.toml": tables.version_catalog,
    "go.mod": lines.go_mod,
    "pubspec.yaml": lines.pubspec,
    "pubspec_overrides.yaml": lines.pubspec,
    "pnpm-workspace.yaml": lines.pnpm_workspace,
    "environment.yml": lines.environment_yml,
    "environment.yaml": lines.environment_yml,
    ".gitmodules": lines.git_modules,
    "pom.xml": markup.pom,
    "packages.config": markup.net_project,
    "directory.packages.props": markup.net_project,
    "directory.build.props": markup.net_project,
    "directory.build.targets": markup.net_project,
}
_BY_ENDING: Final[dict[str, ManifestReader]] = {
    ".csproj": markup.net_project,
    ".fsproj": markup.net_project,
    ".vbproj": markup.net_project,
    ".versions.toml": tables.version_catalog,
}
_PROGRAMS: Final[dict[str, ManifestReader]] = {
    "setup.py": lines.setup_py,
    "gemfile": lines.gemfile,
    "podfile": lines.gemfile,
    ".gemspec": lines.gemfile,
    ".podspec": lines.gemfile,
    "mix.exs": lines.mix,
    "package.swift": lines.swift,
    "build.sbt": lines.sbt,
    ".gradle": lines.gradle,
    ".gradle.kts": lines.gradle,
}
"""By name or by ending: files that are run to find out what they ask for."""
_LOCKS: Final = frozenset(
    {
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"),
        *("poetry.lock", "uv.lock", "pdm.lock", "pipfile.lock", "pylock.toml", "cargo.lock", "go.sum"),
        *("composer.lock", "gemfile.lock", "podfile.lock", "pubspec.lock", "mix.lock", "package.resolved"),
        *("gradle.lockfile", "deno.lock", "packages.lock.json"),
    }
)
_REQUIREMENTS = re.compile(
    r"(?:^|/)(?:[^/]*[-_.])?(?:requirements|constraints)(?:[-_.][^/]*)?\.(?:txt|in|pip)$"
    r"|(?:^|/)requirements/[^/]+\.(?:txt|in|pip)$",
    re.IGNORECASE,
)


class _Manifest(NamedTuple):
    read: ManifestReader
    is_program: bool = False


def dependency_findings(
    changes: Iterable[Change], before: Reader, after: Reader, rule: DependencyRule
) -> Reading:
    """Find what the rule forbids in the manifests that changed, and name those that could not be judged.

    `none-added` looks for names a manifest did not have; `unchanged` for any difference, and there a
    lock file counts as well: it decides which versions are taken.
    """
    findings: list[Finding] = []
    undecided: list[str] = []
    named = {*_named(before), *_named(after)}
    for change in changes:
        name = change.path.rpartition("/")[2].lower()
        if name in _LOCKS and rule is DependencyRule.UNCHANGED:
            findings.append(
                _finding("dependency-changed", change, f"{change.kind}, and it pins dependencies")
            )
        elif manifest := _manifest(change.path, name) or (_LISTED if change.path in named else None):
            found = _judge(change, manifest, before, after, rule)
            findings += found.findings
            undecided += found.undecided
    return Reading(tuple(findings), tuple(undecided))


def is_manifest(path: str) -> bool:
    """Say whether a file is one in which a project says what it depends on."""
    return _manifest(path, path.rpartition("/")[2].lower()) is not None


_LISTED = _Manifest(lines.requirements_txt)


def _named(read: Reader) -> tuple[str, ...]:
    """Give the files that the project at the root has its requirements read from."""
    try:
        return tuple(plain(path) for path in tables.requirement_files(read("pyproject.toml") or b""))
    except (ValueError, RecursionError):
        return ()


def _manifest(path: str, name: str) -> _Manifest | None:
    if read := _BY_NAME.get(name):
        return _Manifest(read)
    if _REQUIREMENTS.search(path):
        return _Manifest(lines.requirements_txt)
    for ending, read in _BY_ENDING.items():
        if name.endswith(ending):
            return _Manifest(read)
    for ending, read in _PROGRAMS.items():
        if name == ending or (ending.startswith(".") and name.endswith(ending)):
            return _Manifest(read, is_program=True)
    return None


def _judge(
    change: Change, manifest: _Manifest, before: Reader, after: Reader, rule: DependencyRule
) -> Reading:
    if change.kind is ChangeKind.RETYPED:
        return _open(change, "is no longer the same kind of file")
    if change.kind is ChangeKind.DELETED and rule is DependencyRule.NONE_ADDED:
        return Reading()
    old = {} if change.kind is ChangeKind.ADDED else _read(manifest, before(change.path))
    new = {} if change.kind is ChangeKind.DELETED else _read(manifest, after(change.path))
    if new is None or old is None:
        return _open(change, f"cannot be read {'after' if new is None else 'before'} the change")
    findings = tuple(_differences(change, old, new, rule))
    if manifest.is_program and not findings:
        return _open(change, "is a program, and only running it would show its dependencies")
    return Reading(findings)


def _read(manifest: _Manifest, data: bytes | None) -> Dependencies | None:
    try:
        return manifest.read(data or b"")
    except (ValueError, RecursionError):  # what does not parse, does not decode, or is odd is a ValueError
        return None


def _differences(
    change: Change, old: Dependencies, new: Dependencies, rule: DependencyRule
) -> Iterator[Finding]:
    known = {entry.name for entry in old}
    added = {entry.name for entry in new if entry.name not in known and entry.table != VERSIONS}
    for name in sorted(added):
        yield _finding("dependency-added", change, f"{name} is a new dependency")
    if rule is DependencyRule.UNCHANGED:
        entries = {entry for entry in {*old, *new} if old.get(entry) != new.get(entry)}
        for name in sorted({entry.name for entry in entries} - added):
            yield _finding("dependency-changed", change, f"{name} is not declared as it was")


def _open(change: Change, why: str) -> Reading:
    return Reading(undecided=(f"{shown(change.path)} {why}",))


def _finding(code: str, change: Change, message: str) -> Finding:
    return Finding(code=code, message=message, path=shown(change.path))
