"""Dependency manifests: what a change added, what it changed, and what nobody can tell from the text."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.manifests.comparing import dependency_findings, is_manifest
from signoff.core.readings import Reading
from signoff.domain.checks import DependencyRule
from signoff.domain.trees import Change, ChangeKind

ADDED, UNCHANGED = DependencyRule.NONE_ADDED, DependencyRule.UNCHANGED


def read(
    path: str, old: str | bytes | None, new: str | bytes | None, rule: DependencyRule = ADDED
) -> Reading:
    """Change one file and ask."""
    kind = ChangeKind.ADDED if old is None else ChangeKind.DELETED if new is None else ChangeKind.MODIFIED

    def side(text: str | bytes | None) -> bytes | None:
        return text.encode() if isinstance(text, str) else text

    return dependency_findings([Change(path=path, kind=kind)], lambda _: side(old), lambda _: side(new), rule)


def codes(reading: Reading) -> list[tuple[str, str]]:
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
        '{"imports": {"known": "npm:known@1", "newcomer": "npm:n@1"}}',
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
    assert read(path, old, other, ADDED) == Reading()
    assert codes(read(path, old, other, UNCHANGED)) == [("dependency-changed", "known")]


@pytest.mark.parametrize("path", FORMATS)
def test_what_says_nothing_about_dependencies_may_change(path: str) -> None:
    old, _, _, noise = FORMATS[path]
    assert read(path, old, noise, ADDED) == read(path, old, noise, UNCHANGED) == Reading()


@pytest.mark.parametrize("path", FORMATS)
def test_a_new_manifest_adds_all_its_names_and_a_deleted_one_adds_none(path: str) -> None:
    old = FORMATS[path][0]
    assert codes(read(path, None, old, ADDED)) == [("dependency-added", "known")]
    assert read(path, old, None, ADDED) == Reading()
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

    assert read("pom.xml", pom("1", "1"), pom("2", "1"), ADDED) == Reading()
    assert len(read("pom.xml", pom("1", "1"), pom("2", "1"), UNCHANGED).findings) == 1
    assert read("pom.xml", pom("1", "1"), pom("1", "2"), UNCHANGED) == Reading()


def test_a_lock_file_counts_where_nothing_may_change() -> None:
    assert read("package-lock.json", "{}", "{ }", ADDED) == Reading()
    assert codes(read("sub/poetry.lock", "", "x", UNCHANGED)) == [("dependency-changed", "modified,")]


def test_a_requirements_file_of_any_name_counts_where_the_project_names_it() -> None:
    """Otherwise the one file that holds the dependencies would be the one that is not looked at."""
    project = b"[tool.setuptools.dynamic]\ndependencies = { file = ['deps.list'] }\n"
    change = Change(path="deps.list", kind=ChangeKind.MODIFIED)

    def tree(listed: bytes, named: bytes) -> Callable[[str], bytes]:
        return lambda path: named if path == "pyproject.toml" else listed

    reading = dependency_findings([change], tree(b"a\n", project), tree(b"a\nb\n", project), ADDED)
    assert codes(reading) == [("dependency-added", "b")]
    assert dependency_findings([change], tree(b"a\n", b""), tree(b"a\nb\n", b""), ADDED) == Reading()


def test_a_manifest_that_became_a_link_is_not_judged() -> None:
    change = Change(path="package.json", kind=ChangeKind.RETYPED)
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
