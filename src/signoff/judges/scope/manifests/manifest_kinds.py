"""Which files are manifests, by their names, and what reads each of them.

Pure. A manifest of an ecosystem without a reader is known all the same, because a change to it must be named.
"""

import re
from typing import Final, NamedTuple

from signoff.judges.scope.manifests import line_formats, markup_formats, table_formats
from signoff.judges.scope.manifests.dependency_records import ManifestReader
from signoff.text.word_lists import words

_READERS: Final[tuple[tuple[ManifestReader, str], ...]] = (
    (table_formats.package_json, "package.json bower.json"),
    (table_formats.composer_json, "composer.json"),
    (table_formats.deno_json, "deno.json deno.jsonc import_map.json"),
    (table_formats.pyproject, "pyproject.toml"),
    (table_formats.cargo, "cargo.toml"),
    (table_formats.pipfile, "pipfile"),
    (table_formats.setup_cfg, "setup.cfg"),
    (table_formats.version_catalog, "libs.versions.toml .versions.toml"),
    (line_formats.go_mod, "go.mod"),
    (line_formats.pubspec, "pubspec.yaml pubspec_overrides.yaml"),
    (line_formats.pnpm_workspace, "pnpm-workspace.yaml"),
    (line_formats.environment_yml, "environment.yml environment.yaml"),
    (line_formats.git_modules, ".gitmodules"),
    (markup_formats.pom, "pom.xml"),
    (
        markup_formats.net_project,
        "packages.config directory.packages.props directory.build.props directory.build.targets",
    ),
    (markup_formats.net_project, ".csproj .fsproj .vbproj"),
)
"""What reads a manifest, by its name, or by its ending if that begins with a dot."""
_PROGRAMS: Final[tuple[tuple[ManifestReader, str], ...]] = (
    (line_formats.setup_py, "setup.py"),
    (line_formats.gemfile, "gemfile podfile .gemspec .podspec"),
    (line_formats.mix, "mix.exs"),
    (line_formats.swift, "package.swift"),
    (line_formats.sbt, "build.sbt"),
    (line_formats.gradle, ".gradle .gradle.kts"),
)
"""The same for files that are run to find out what they ask for."""
_LOCKS: Final = words(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb poetry.lock "
    "uv.lock pdm.lock pipfile.lock pylock.toml cargo.lock go.sum composer.lock gemfile.lock podfile.lock "
    "pubspec.lock mix.lock package.resolved gradle.lockfile deno.lock packages.lock.json conda-lock.yml "
    "pixi.lock flake.lock renv.lock shard.lock stack.yaml.lock cabal.project.freeze rebar.lock conan.lock "
    "module.bazel.lock dub.selections.json cartfile.resolved paket.lock go.work.sum chart.lock "
    "manifest.toml"
)
_UNREAD: Final = words(
    "pixi.toml vcpkg.json vcpkg-configuration.json conanfile.py conanfile.txt go.work module.bazel "
    "workspace workspace.bazel workspace.bzlmod deps.edn bb.edn project.clj elm.json rebar.config "
    "gleam.toml cartfile cartfile.private stack.yaml cabal.project package.yaml package.json5 jsr.json "
    "shard.yml dub.json dub.sdl dune-project build.zig.zon flake.nix shell.nix project.toml description "
    "cpanfile makefile.pl build.pl build.sc build.mill ivy.xml paket.dependencies paket.references "
    "spago.dhall spago.yaml packages.dhall chart.yaml requirements.yml requirements.yaml galaxy.yml "
    "buf.yaml brewfile package.resolved"
)
"""Manifests without a reader. Packages that an Xcode project uses are named in `Package.resolved` alone."""
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
    """None if its format has no reader."""
    is_program: bool = False


LISTED: Final = Manifest(line_formats.requirements_txt)
"""A list of requirements, whatever it is called."""


def is_lock(path: str) -> bool:
    """Check whether a file pins the versions that are taken."""
    return _name(path) in _LOCKS


def is_manifest(path: str) -> bool:
    """Check whether a file is one in which a project says what it depends on."""
    return manifest_of(path) is not None


def manifest_of(path: str) -> Manifest | None:
    """Return how a file is read, None if its name is not that of a manifest."""
    name = _name(path)
    if read := _reader_of(name, _READERS):
        return Manifest(read)
    if _REQUIREMENTS.search(path):
        return LISTED
    if read := _reader_of(name, _PROGRAMS):
        return Manifest(read, is_program=True)
    is_known = name in _UNREAD or name.endswith(_UNREAD_ENDINGS) or _UNREAD_CONDA.fullmatch(name)
    return Manifest(None) if is_known else None


def _reader_of(name: str, table: tuple[tuple[ManifestReader, str], ...]) -> ManifestReader | None:
    for read, listed in table:
        for known in listed.split():
            if name == known or (known.startswith(".") and name.endswith(known)):
                return read
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()
