"""Dependency manifests: what a change added, what it changed, and what nobody can tell from the text."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.work.checks import DependencyRule
from signoff.judges.scope.change_scope import ScanResult
from signoff.judges.scope.manifests.dependency_changes import dependency_findings
from signoff.judges.scope.manifests.manifest_kinds import is_manifest

ADDED, UNCHANGED = DependencyRule.NONE_ADDED, DependencyRule.UNCHANGED


def read(
    path: str, old: str | bytes | None, new: str | bytes | None, rule: DependencyRule = ADDED
) -> ScanResult:
    """Change one file and ask."""
    kind = ChangeKind.ADDED if old is None else ChangeKind.DELETED if new is None else ChangeKind.MODIFIED

    def side(text: str | bytes | None) -> bytes | None:
        return text.encode() if isinstance(text, str) else text

    return dependency_findings(
        [PathChange(path=path, kind=kind)], lambda _: side(old), lambda _: side(new), rule
    )


def codes(reading: ScanResult) -> list[tuple[str, str]]:
    return [(finding.code, finding.message.split()[0]) for finding in reading.findings]


# Per format: before, after with `newcomer` added, after with `known` changed, and with nothing but noise.
FORMATS: dict[str, tuple[str, str, str, str]] = {
    "package.json": (
        '{"name": "a", "dependencies": {"known": "1"}}',
        '{"name": "a", "dependencies": {"known": "1"}, "peerDependencies": {"newcomer": "1"}}',
        '{"name": "a", "dependencies": {"known": "2"}}',
        '{"name": "b", "scripts": {"x": "y"}, "dependencies": {"known": "1"}}',
    ),
    "composer.json": (
        '{"require": {"known": "1"}}',
        '{"require": {"known": "1"}, "require-dev": {"newcomer": "1"}}',
        '{"require": {"known": "2"}}',
        '{"require": {"known": "1"}, "name": "x"}',
    ),
    "deno.json": (
        '{"imports": {"known": "npm:known@1"}}',
        '{"imports": {"known": "npm:known@1", "newcomer": "npm:newcomer@1"}}',
        '{"imports": {"known": "npm:known@2"}}',
        '{"imports": {"known": "npm:known@1"}, "tasks": {"a": "b"}}',
    ),
    "pyproject.toml": (
        '[project]\nname = "a"\ndependencies = ["known>=1"]\n',
        '[project]\nname = "a"\ndependencies = ["known>=1"]\n[dependency-groups]\ndev = ["newcomer"]\n',
        '[project]\nname = "a"\ndependencies = ["known>=2"]\n',
        '[project]\nname = "b"\ndependencies = [\n  "known>=1",\n]\n',
    ),
    "sub/Cargo.toml": (
        '[dependencies]\nknown = "1"\n',
        '[dependencies]\nknown = "1"\n[target.\'cfg(unix)\'.dev-dependencies]\nnewcomer = "1"\n',
        '[dependencies]\nknown = { version = "1", features = ["x"] }\n',
        '[package]\nname = "a"\n[dependencies]\nknown = "1"\n',
    ),
    "Pipfile": (
        '[packages]\nknown = "*"\n',
        '[packages]\nknown = "*"\n[docs]\nnewcomer = "*"\n',
        '[packages]\nknown = "==1"\n',
        '[packages]\nknown = "*"\n[scripts]\na = "b"\n',
    ),
    "setup.cfg": (
        "[options]\ninstall_requires =\n  known>=1\n",
        "[options]\ninstall_requires =\n  known>=1\n[options.extras_require]\ndev =\n  newcomer\n",
        "[options]\ninstall_requires =\n  known>=2\n",
        "[metadata]\nname = a\n[options]\ninstall_requires =\n  known>=1\n",
    ),
    "requirements-dev.txt": (
        "known==1\n",
        "known==1\nnewcomer[extra]==2  # why\n",
        "Known==2\n",
        "# a comment\nknown==1\n--index-url https://example.org\n",
    ),
    "requirements/test.in": (
        "known\n",
        "known\nnewcomer @ https://example.org/n.whl\n",
        "known<3\n",
        "\nknown\n",
    ),
    "go.mod": (
        "module a\n\ngo 1.22\n\nrequire known v1\n",
        "module a\n\ngo 1.22\n\nrequire (\n\tknown v1\n\tnewcomer v1 // indirect\n)\n",
        "module a\n\ngo 1.22\n\nrequire known v2\n",
        "module a\n\ngo 1.23\n\nrequire (\n\tknown v1\n)\n",
    ),
    "pubspec.yaml": (
        "name: a\ndependencies:\n  known: ^1.0.0\n",
        "name: a\ndependencies:\n  known: ^1.0.0\ndev_dependencies:\n  newcomer:\n    git: x\n",
        "name: a\ndependencies:\n  known: ^2.0.0\n",
        "name: b\ndependencies:\n  # same\n  known: ^1.0.0\n",
    ),
    "environment.yml": (
        "name: a\ndependencies:\n  - known=1\n",
        "name: a\ndependencies:\n  - known=1\n  - pip:\n    - newcomer==1\n",
        "name: a\ndependencies:\n  - known=2\n",
        "name: b\ndependencies:\n- known=1\n",
    ),
    "gradle/libs.versions.toml": (
        '[libraries]\nknown = "a:known:1"\n',
        '[libraries]\nknown = "a:known:1"\nnewcomer = "a:n:1"\n',
        '[libraries]\nknown = "a:known:2"\n',
        '# noise\n[libraries]\nknown = "a:known:1"\n',
    ),
    "app/App.csproj": (
        '<Project><ItemGroup><PackageReference Include="known" Version="1"/></ItemGroup></Project>',
        (
            '<Project><ItemGroup><PackageReference Include="known" Version="1"/>'
            '<PackageReference Include="Newcomer" Version="1"/></ItemGroup></Project>'
        ),
        '<Project><ItemGroup><PackageReference Include="known" Version="2"/></ItemGroup></Project>',
        (
            "<Project><PropertyGroup><LangVersion>12</LangVersion></PropertyGroup>"
            '<ItemGroup><PackageReference Include="known" Version="1"/></ItemGroup></Project>'
        ),
    ),
}


@pytest.mark.parametrize("path", FORMATS)
def test_a_new_name_is_an_added_dependency(path: str) -> None:
    old, more, _, _ = FORMATS[path]
    for rule in (ADDED, UNCHANGED):
        reading = read(path, old, more, rule)
        assert ("dependency-added", "newcomer") in codes(reading)
        assert len(reading.findings) == 1
        assert reading.findings[0].path == path
        assert reading.undecided == ()


@pytest.mark.parametrize("path", FORMATS)
def test_another_version_is_a_change_and_no_addition(path: str) -> None:
    old, _, other, _ = FORMATS[path]
    assert read(path, old, other, ADDED) == ScanResult()
    assert codes(read(path, old, other, UNCHANGED)) == [("dependency-changed", "known")]


@pytest.mark.parametrize("path", FORMATS)
def test_what_says_nothing_about_dependencies_may_change(path: str) -> None:
    old, _, _, noise = FORMATS[path]
    assert read(path, old, noise, ADDED) == read(path, old, noise, UNCHANGED) == ScanResult()


@pytest.mark.parametrize("path", FORMATS)
def test_a_new_manifest_adds_all_its_names_and_a_deleted_one_adds_none(path: str) -> None:
    old = FORMATS[path][0]
    assert codes(read(path, None, old, ADDED)) == [("dependency-added", "known")]
    assert read(path, old, None, ADDED) == ScanResult()
    assert codes(read(path, old, None, UNCHANGED)) == [("dependency-changed", "known")]


BROKEN: dict[str, list[str | bytes]] = {
    "package.json": ["{", "[]", '{"dependencies": []}', '{"dependencies": {"a": "1"}, "dependencies": {}}'],
    "pyproject.toml": ["[", '[project]\ndependencies = "a"\n', "[project]\ndependencies = [1]\n"],
    "pubspec.yaml": ["dependencies: {a: 1}\n", "dependencies:\n  <<: *base\n", "a: &x\n  b: 1\n\tc: 2\nd\n"],
    "pom.xml": ["<project>", '<!DOCTYPE a [<!ENTITY b "c">]><project/>', "<a>" * 200 + "</a>" * 200],
    "go.mod": ["require (\n\ta v1\n", "conjure a v1\n"],
    "setup.cfg": ["no section\n", "[options]\n[options]\n"],
    "App.csproj": ['<?xml version="1.0" encoding="nobody-has-it"?><Project/>'],
    "requirements.txt": [b"\xff\xfe"],
}


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in BROKEN.items() for text in texts])
def test_a_manifest_that_cannot_be_read_is_not_judged(path: str, text: str | bytes) -> None:
    """To hold what nobody could read for unchanged would let anything through."""
    for rule in (ADDED, UNCHANGED):
        reading = read(path, "", text, rule) if path == "requirements.txt" else read(path, None, text, rule)
        assert reading.findings == ()
        assert [why.split()[0] for why in reading.undecided] == [path]


PROGRAMS = {
    "Gemfile": "gem 'newcomer', '~> 1'\n",
    "a.gemspec": "  spec.add_development_dependency 'newcomer'\n",
    "build.gradle": "  testImplementation 'new:newcomer:1'\n",
    "app/build.gradle.kts": '  implementation("new:newcomer:1")\n',
    "mix.exs": '  {:newcomer, "~> 1"},\n',
    "Package.swift": '  .package(url: "https://example.org/newcomer", from: "1.0.0"),\n',
    "setup.py": 'setup(install_requires=["newcomer>=1"])\n',
    "build.sbt": 'libraryDependencies += "new" %% "newcomer" % "1"\n',
}


@pytest.mark.parametrize("path", PROGRAMS)
def test_a_program_shows_plain_additions_and_is_not_judged_beyond_them(path: str) -> None:
    added = read(path, "", PROGRAMS[path])
    assert [finding.code for finding in added.findings] == ["dependency-added"]
    assert "newcomer" in added.findings[0].message

    for old, new in (("", "x = 1\n"), (PROGRAMS[path], PROGRAMS[path] + "\nx = 1\n")):
        reading = read(path, old, new)
        assert reading.findings == ()
        assert len(reading.undecided) == 1


def test_a_maven_version_may_come_from_a_property() -> None:
    """The dependency reads the same, and another version is taken."""

    def pom(version: str, own: str) -> str:
        return (
            f'<project xmlns="http://maven.apache.org/POM/4.0.0"><version>{own}</version>'
            f"<properties><a.version>{version}</a.version><other>{own}</other></properties>"
            "<dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId>"
            "<version>${a.version}</version></dependency></dependencies></project>"
        )

    assert read("pom.xml", pom("1", "1"), pom("2", "1"), ADDED) == ScanResult()
    assert len(read("pom.xml", pom("1", "1"), pom("2", "1"), UNCHANGED).findings) == 1
    assert read("pom.xml", pom("1", "1"), pom("1", "2"), UNCHANGED) == ScanResult()


def test_another_version_of_a_maven_dependency_is_no_addition() -> None:
    def pom(version: str) -> str:
        return (
            "<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId>"
            f"<version>{version}</version></dependency></dependencies></project>"
        )

    assert read("pom.xml", pom("1"), pom("2"), ADDED) == ScanResult()


def test_a_lock_file_counts_where_nothing_may_change() -> None:
    assert read("package-lock.json", "{}", "{ }", ADDED) == ScanResult()
    assert codes(read("sub/poetry.lock", "", "x", UNCHANGED)) == [("dependency-changed", "modified,")]


def test_a_requirements_file_of_any_name_counts_where_the_project_names_it() -> None:
    """Otherwise the one file that holds the dependencies would be the one that is not looked at."""
    project = b"[tool.setuptools.dynamic]\ndependencies = { file = ['deps.list'] }\n"
    change = PathChange(path="deps.list", kind=ChangeKind.MODIFIED)

    def tree(listed: bytes, named: bytes) -> Callable[[str], bytes]:
        return lambda path: named if path == "pyproject.toml" else listed

    reading = dependency_findings([change], tree(b"a\n", project), tree(b"a\nb\n", project), ADDED)
    assert codes(reading) == [("dependency-added", "b")]
    assert dependency_findings([change], tree(b"a\n", b""), tree(b"a\nb\n", b""), ADDED) == ScanResult()


REFERENCES = [
    ({"requirements.txt": "-r deps.lst\n"}, "deps.lst"),
    ({"requirements.txt": "--requirement=deps.lst # why\n"}, "deps.lst"),
    ({"requirements.txt": "-rdeps.lst\n"}, "deps.lst"),
    ({"requirements.txt": "-c ./pins/all\n"}, "pins/all"),
    ({"requirements.txt": "-r one.lst\n", "one.lst": "-r sub/two.lst\n"}, "sub/two.lst"),
    ({"sub/requirements-dev.txt": "-r ../deps.lst\n", "sub/deps.lst": "", "deps.lst": ""}, "deps.lst"),
    ({"requirements/dev.txt": "-r ../deps.lst\n"}, "deps.lst"),
    ({"setup.cfg": "[options]\ninstall_requires = file: deps.lst\n"}, "deps.lst"),
    ({"setup.cfg": "[options]\ninstall_requires = file: other.lst, deps.lst\n"}, "deps.lst"),
    ({"setup.cfg": "[options.extras_require]\ndev = file: deps.lst\n"}, "deps.lst"),
    ({"pyproject.toml": "[tool.setuptools.dynamic]\ndependencies = { file = ['deps.lst'] }\n"}, "deps.lst"),
    (
        {"sub/pyproject.toml": "[tool.setuptools.dynamic]\ndependencies = { file = 'deps.lst' }\n"},
        "sub/deps.lst",
    ),
    (
        {"pyproject.toml": "[tool.hatch.metadata.hooks.requirements_txt]\nfiles = ['deps.lst']\n"},
        "deps.lst",
    ),
    ({"requirements.txt": "-r " + "deep/" * 40 + "deps.lst\n"}, "deep/" * 40 + "deps.lst"),
    ({"environment.yml": "dependencies:\n  - pip:\n    - -r deps.lst\n"}, "deps.lst"),
]


@pytest.mark.parametrize(("files", "path"), REFERENCES)
def test_a_file_that_a_manifest_draws_in_is_one_itself(files: dict[str, str], path: str) -> None:
    """Otherwise the one file that holds the dependencies would be the one that is not looked at."""
    before = dict.fromkeys([path], "a==1\n")
    after = dict.fromkeys([path], "a==2\nb\n")
    changes = [PathChange(path=path, kind=ChangeKind.MODIFIED)]
    if path.startswith("deps") and any(name.startswith(("sub/", "requirements/")) for name in files):
        # A folder beside it is looked into where something else changed there.
        changes.append(PathChange(path=next(iter(files)), kind=ChangeKind.MODIFIED))

    for old, new in ((files | before, files | after), (files | before, after), (before, files | after)):
        reading = dependency_findings(changes, reader(old), reader(new), ADDED)
        assert ("dependency-added", "b") in codes(reading)
    assert dependency_findings(changes[:1], reader(before), reader(after), ADDED) == ScanResult()


def reader(files: dict[str, str]) -> Callable[[str], bytes | None]:
    return lambda path: files[path].encode() if path in files else None


def test_manifests_that_draw_each_other_in_come_to_an_end() -> None:
    files = {
        "requirements.txt": "-r a.lst\n",
        "a.lst": "-r b.lst\n",
        "b.lst": "-r a.lst\n-r /etc/x\n-r ../y\n",
    }
    change = PathChange(path="b.lst", kind=ChangeKind.MODIFIED)

    found = dependency_findings([change], reader(files), reader(files | {"b.lst": "-r a.lst\nz\n"}), ADDED)

    assert codes(found) == [("dependency-added", "z")]


def test_a_file_that_a_program_reads_its_requirements_from_is_not_judged() -> None:
    files = {"setup.py": "setup(install_requires=open('deps.lst').read().split())"}
    change = PathChange(path="deps.lst", kind=ChangeKind.MODIFIED)

    found = dependency_findings(
        [change], reader(files | {"deps.lst": ""}), reader(files | {"deps.lst": "x"}), ADDED
    )

    assert found.findings == ()
    assert [why.split()[0] for why in found.undecided] == ["deps.lst"]


ALIASED = [
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "npm:evil@1"}}'),
    ("package.json", '{"dependencies": {"a": "npm:b@1"}}', '{"dependencies": {"a": "npm:evil"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "npm:@x/evil@1"}}'),
    (
        "package.json",
        '{"dependencies": {"a": "1"}}',
        '{"dependencies": {"a": "1"}, "overrides": {"a": "npm:evil@1"}}',
    ),
    (
        "package.json",
        '{"dependencies": {"a": "1"}, "overrides": {"a": {"b": "1"}}}',
        '{"dependencies": {"a": "1"}, "overrides": {"a": {"b": "npm:evil@1"}}}',
    ),
    (
        "package.json",
        '{"dependencies": {"a": "1"}, "overrides": {"a": {"b": "1"}}}',
        '{"dependencies": {"a": "1"}, "overrides": {"a": {"b": "1", "evil": "1"}}}',
    ),
    (
        "package.json",
        '{"dependencies": {"a": "1"}, "resolutions": {"a": "1"}}',
        '{"dependencies": {"a": "1"}, "resolutions": {"a": "npm:evil@1"}}',
    ),
    (
        "package.json",
        '{"dependencies": {"a": "1"}, "pnpm": {"overrides": {"a": "1"}}}',
        '{"dependencies": {"a": "1"}, "pnpm": {"overrides": {"a": "npm:evil@1"}}}',
    ),
    ("deno.json", '{"imports": {"a": "npm:a@1"}}', '{"imports": {"a": "npm:evil@1"}}'),
    ("deno.json", '{"imports": {"a": "npm:a@1"}}', '{"imports": {"a": "jsr:@x/evil@1"}}'),
    ("pnpm-workspace.yaml", "overrides:\n  a: 1\n", "overrides:\n  a: npm:evil@1\n"),
    ("Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = { version = "1", package = "evil" }\n'),
]


@pytest.mark.parametrize(("path", "old", "new"), ALIASED)
def test_another_package_under_a_known_name_is_a_new_dependency(path: str, old: str, new: str) -> None:
    found = codes(read(path, old, new))
    assert len(found) == 1
    assert found[0][0] == "dependency-added"
    assert found[0][1] in ("evil", "@x/evil")


ELSEWHERE = [
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "git+ssh://git@x.org/e.git"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "github:e/a"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "e/a#v1"}}'),
    ("package.json", '{"dependencies": {"a": "e/a"}}', '{"dependencies": {"a": "f/a"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "https://x.org/a.tgz"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "file:../a"}}'),
    ("package.json", '{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "../a"}}'),
    ("package.json", '{"dependencies": {"a": "link:./a"}}', '{"dependencies": {"a": "link:./b"}}'),
    ("requirements.txt", "a==1\n", "a @ https://x.org/a.whl\n"),
    ("requirements.txt", "a==1\n", "a@git+ssh://x.org/a\n"),
    ("pyproject.toml", '[project]\ndependencies = ["a"]\n', '[project]\ndependencies = ["a @ file:///a"]\n'),
    (
        "pyproject.toml",
        '[project]\ndependencies = ["a"]\n',
        '[project]\ndependencies = ["a"]\n[tool.uv.sources]\na = { path = "a" }\n',
    ),
    (
        "pyproject.toml",
        '[tool.poetry.dependencies]\na = "1"\n',
        '[tool.poetry.dependencies]\na = { git = "e" }\n',
    ),
    ("Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = { path = "../a" }\n'),
    ("pubspec.yaml", "dependencies:\n  a: 1\n", "dependencies:\n  a:\n    git: e\n"),
    (".gitmodules", '[submodule "a"]\n\turl = https://x/a\n', '[submodule "a"]\n\turl = https://x/b\n'),
]


@pytest.mark.parametrize(("path", "old", "new"), ELSEWHERE)
def test_a_known_name_from_another_place_is_not_judged(path: str, old: str, new: str) -> None:
    """It may be another project altogether; a name alone does not tell."""
    for one, other in ((old, new), (new, new.replace("x.org", "y.org"))):
        reading = read(path, one, other)
        assert reading.findings == ()
        assert [why.split()[0] for why in reading.undecided] == ([path] if one != other else [])
    assert codes(read(path, old, new, UNCHANGED)) == [("dependency-changed", "a")]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "environment-dev.yml",
            "ci/environment_test.yaml",
            "pixi.toml",
            "vcpkg.json",
            "elm.json",
            "go.work",
        ),
        *(
            "MODULE.bazel",
            "WORKSPACE",
            "deps.edn",
            "conanfile.py",
            "conanfile.txt",
            "rebar.config",
            "Cartfile",
        ),
        *("project.clj", "stack.yaml", "a.cabal", "shard.yml", "dub.json", "build.zig.zon", "flake.nix"),
        *("a.opam", "Chart.yaml", "package.yaml", "cpanfile", "DESCRIPTION", "a.rockspec", "Project.toml"),
    ],
)
def test_a_manifest_of_a_kind_that_is_not_read_is_named_and_not_judged(path: str) -> None:
    for rule in (ADDED, UNCHANGED):
        for old, new in (("a", "b"), (None, "b")):
            reading = read(path, old, new, rule)
            assert reading.findings == ()
            assert [why.split()[0] for why in reading.undecided] == [path]
    assert read(path, "a", None, ADDED) == ScanResult()
    assert read(path, "a", None, UNCHANGED).undecided
    assert is_manifest(path)


def test_what_xcode_resolved_is_not_judged_where_nothing_may_be_added() -> None:
    """Its projects name their packages in no other file that can be read."""
    assert read("Package.resolved", "{}", "{ }", ADDED).undecided
    assert read("Package.resolved", "{}", "{ }", UNCHANGED).findings


def test_a_manifest_that_became_a_link_is_not_judged() -> None:
    change = PathChange(path="package.json", kind=ChangeKind.RETYPED)
    assert dependency_findings([change], lambda _: b"{}", lambda _: b"x", ADDED).undecided


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("deep/down/package.json", True),
        ("requirements.txt", True),
        ("dev-requirements.in", True),
        ("constraints.txt", True),
        ("docs/requirements.md", False),
        ("src/requirements.py", False),
        ("package.json.md", False),
        ("mypackage.json", False),
        (".gitmodules", True),
    ],
)
def test_manifests_are_known_by_their_names(path: str, expected: bool) -> None:
    assert is_manifest(path) is expected


ALL_PATHS = [*FORMATS, *BROKEN, *PROGRAMS, ".gitmodules", "pnpm-workspace.yaml", "packages.config"]
PIECES = st.lists(
    st.one_of(st.text(max_size=12), st.sampled_from([t for f in FORMATS.values() for t in f])), max_size=4
).map("\n".join)


@given(
    st.sampled_from(ALL_PATHS),
    st.one_of(PIECES.map(str.encode), st.binary()),
    st.sampled_from(DependencyRule),
)
def test_no_content_is_too_odd_to_be_looked_at(path: str, data: bytes, rule: DependencyRule) -> None:
    read(path, b"", data, rule)
    read(path, data, None, rule)


NAMES = st.sets(st.from_regex(r"[a-z][a-z0-9-]{0,8}[a-z0-9]", fullmatch=True), max_size=5)


@given(NAMES, NAMES)
def test_exactly_the_names_that_are_new_are_reported(old: set[str], new: set[str]) -> None:
    def text(names: set[str]) -> str:
        return json.dumps({"dependencies": dict.fromkeys(sorted(names), "1")})

    found = read("package.json", text(old), text(new))

    assert {message for _, message in codes(found)} == new - old


def test_a_name_that_is_not_utf8_is_compared_by_its_bytes() -> None:
    """A name is bytes; one that cannot be encoded must neither end the check nor escape it."""
    change = [PathChange(path="caf\udce9.txt", kind=ChangeKind.ADDED)]

    def ask(setup: bytes) -> ScanResult:
        files = {"setup.py": setup, "caf\udce9.txt": b"newcomer\n"}
        return dependency_findings(change, lambda _: None, files.get, ADDED)

    assert not ask(b"open('other.txt')").findings
    assert ask(b"open('caf\xe9.txt')") != ask(b"open('other.txt')")
