"""Which files are manifests, by their names, and what reads each of them.

Pure; called by `comparing` and `references`. A manifest of an ecosystem that is not read here is known all
the same: a change to it has to be named.
"""

import re
from typing import Final, NamedTuple

from signoff.core.manifests import lines, markup, tables
from signoff.core.manifests.shapes import ManifestReader

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
        *("gradle.lockfile", "deno.lock", "packages.lock.json", "conda-lock.yml", "pixi.lock", "flake.lock"),
        *("renv.lock", "shard.lock", "stack.yaml.lock", "cabal.project.freeze", "rebar.lock", "conan.lock"),
        *("module.bazel.lock", "dub.selections.json", "cartfile.resolved", "paket.lock", "go.work.sum"),
        *("chart.lock", "manifest.toml"),
    }
)
_UNREAD: Final = frozenset(
    {
        *("pixi.toml", "vcpkg.json", "vcpkg-configuration.json", "conanfile.py", "conanfile.txt", "go.work"),
        *("module.bazel", "workspace", "workspace.bazel", "workspace.bzlmod", "deps.edn", "bb.edn"),
        *("project.clj", "elm.json", "rebar.config", "gleam.toml", "cartfile", "cartfile.private"),
        *("stack.yaml", "cabal.project", "package.yaml", "package.json5", "jsr.json", "shard.yml"),
        *("dub.json", "dub.sdl", "dune-project", "build.zig.zon", "flake.nix", "shell.nix", "project.toml"),
        *("description", "cpanfile", "makefile.pl", "build.pl", "build.sc", "build.mill", "ivy.xml"),
        *("paket.dependencies", "paket.references", "spago.dhall", "spago.yaml", "packages.dhall"),
        *("chart.yaml", "requirements.yml", "requirements.yaml", "galaxy.yml", "buf.yaml", "brewfile"),
        # Packages that an Xcode project uses stand in no other file that could be looked at.
        "package.resolved",
    }
)
_UNREAD_ENDINGS: Final = (".cabal", ".opam", ".rockspec", ".nimble", ".vcxproj")
_UNREAD_CONDA = re.compile(r"(?:environment[-_.].+|conda(?:[-_.].+)?)\.ya?ml")
_REQUIREMENTS = re.compile(
    r"(?:^|/)(?:[^/]*[-_.])?(?:requirements|constraints)(?:[-_.][^/]*)?\.(?:txt|in|pip)$"
    r"|(?:^|/)requirements/[^/]+\.(?:txt|in|pip)$",
    re.IGNORECASE,
)


class Manifest(NamedTuple):
    """How a manifest is read."""

    read: ManifestReader | None
    """None where nothing here reads its format."""
    is_program: bool = False


LISTED: Final = Manifest(lines.requirements_txt)
"""A list of requirements, whatever it is called."""


def is_lock(path: str) -> bool:
    """Say whether a file pins the versions that are taken."""
    return _name(path) in _LOCKS


def is_manifest(path: str) -> bool:
    """Say whether a file is one in which a project says what it depends on."""
    return manifest_of(path) is not None


def manifest_of(path: str) -> Manifest | None:
    """Give how a file is read, None where its name is none of a manifest."""
    name = _name(path)
    if read := _BY_NAME.get(name):
        return Manifest(read)
    if _REQUIREMENTS.search(path):
        return LISTED
    for ending, read in _BY_ENDING.items():
        if name.endswith(ending):
            return Manifest(read)
    for ending, read in _PROGRAMS.items():
        if name == ending or (ending.startswith(".") and name.endswith(ending)):
            return Manifest(read, is_program=True)
    if name in _UNREAD or name.endswith(_UNREAD_ENDINGS) or _UNREAD_CONDA.fullmatch(name):
        return Manifest(None)
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()
