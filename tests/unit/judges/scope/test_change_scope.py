"""Globs, declared scope, protected paths and non-goals."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.judges.scope.change_scope import outside_scope, protected_findings, untouched_findings
from signoff.project.detection.gate_programs import bar_files
from signoff.text.globs import match_glob, match_text

SEGMENT = st.text(alphabet="ab.[]", min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))
PATH = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("src", "src/pkg/a.py", True),
        ("src/", "src/pkg/a.py", True),
        ("./src", "src/a.py", True),
        ("src", "srcs/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/pkg/a.py", False),
        ("src/**", "src/pkg/deep/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("src/**/a.py", "src/x/y/a.py", True),
        ("**/*.py", "a.py", True),
        ("**/test_*.py", "tests/unit/test_a.py", True),
        ("**", "any/thing", True),
        ("*/", "src/pkg/a.py", True),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/*.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/*.tsx", "app/i/page.tsx", False),
        ("SRC/a.py", "src/a.py", False),
        ("*a*b*c*", "xaxbxcx", True),
        ("*a*b*c*", "xaxcxbx", False),
        ("", "a.py", False),
        (".", "a.py", False),
        ("/", "a.py", False),
    ],
)
def test_a_glob_covers_what_it_says(pattern: str, path: str, expected: bool) -> None:
    assert match_glob(path, pattern) is expected


@given(PATH)
def test_a_path_is_covered_by_itself_by_its_folder_and_by_everything(path: str) -> None:
    folder = path.rpartition("/")[0]
    assert match_glob(path, path)
    assert match_glob(path, "**")
    assert not folder or match_glob(path, folder)
    assert not folder or match_glob(path, f"{folder}/**")


@given(st.text(max_size=40), st.text(alphabet="a*?/[]", max_size=20))
def test_matching_never_crashes_and_is_decided(path: str, pattern: str) -> None:
    assert match_glob(path, pattern) in (True, False)


def test_many_stars_are_decided_at_once() -> None:
    """A pattern that would take a regular expression for ever is no trouble here."""
    assert not match_text("a" * 3000, "*a" * 60 + "b")


def change(path: str, kind: ChangeKind = ChangeKind.MODIFIED) -> PathChange:
    return PathChange(path=path, kind=kind)


def test_only_declared_paths_are_in_scope() -> None:
    changes = [change("src/a.py"), change("docs/x.md"), change("src/b/new.py", ChangeKind.ADDED)]

    findings = outside_scope(changes, ["src/a.py", "src/b"])

    assert [(f.code, f.path) for f in findings] == [("outside-scope", "docs/x.md")]


def test_with_nothing_declared_every_change_is_outside() -> None:
    assert len(outside_scope([change("a"), change("b")], [])) == 2


def test_a_name_that_is_not_utf8_can_be_reported() -> None:
    finding = outside_scope([change("caf\udce9.py")], [])[0]

    assert json.loads(json.dumps(finding.path)) == "caf\\xe9.py"


def test_a_non_goal_is_broken_by_a_change_below_its_globs() -> None:
    changes = [change("api/v1/x.py"), change("api/v2/x.py")]

    assert [f.path for f in untouched_findings(changes, ["api/v1/**"])] == ["api/v1/x.py"]
    assert {f.code for f in untouched_findings(changes, ["api"])} == {"path-touched"}


# --- protected paths ---

Files = dict[str, bytes]


def reader(files: Files) -> Callable[[str], bytes | None]:
    return files.get


def protected(
    path: str,
    before: bytes | None,
    after: bytes | None,
    extra: tuple[str, ...] = (),
    removed: tuple[str, ...] = (),
) -> list[str]:
    kind = (
        ChangeKind.ADDED if before is None else ChangeKind.DELETED if after is None else ChangeKind.MODIFIED
    )
    findings = protected_findings(
        [change(path, kind)],
        reader({} if before is None else {path: before}),
        reader({} if after is None else {path: after}),
        extra,
        removed,
    )
    assert {f.code for f in findings} <= {"protected-path"}
    return [f.message for f in findings]


@pytest.mark.parametrize(
    "path",
    [
        "signoff.toml",
        "pytest.ini",
        "tests/pytest.ini",
        "pytest.toml",
        "tox.ini",
        "setup.cfg",
        ".coveragerc",
        "noxfile.py",
        "ruff.toml",
        ".ruff.toml",
        "mypy.ini",
        "jest.config.ts",
        "web/vitest.config.mts",
        ".mocharc.yml",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".pre-commit-config.yaml",
        "src/sitecustomize.py",
        "pytest.py",
        "_pytest/junitxml.py",
        ".npmrc",
        "web/.yarnrc",
        ".yarnrc.yml",
        "web/vite.config.ts",
        "babel.config.js",
        ".babelrc",
        "web/.babelrc.json",
        "src/evil.dist-info/entry_points.txt",
        "evil.egg-info/PKG-INFO",
        "src/evil.pth",
    ],
)
def test_the_bar_is_protected_whether_changed_added_or_deleted(path: str) -> None:
    assert protected(path, b"a", b"b")
    assert protected(path, None, b"b")
    assert protected(path, b"a", None)


@pytest.mark.parametrize("path", ["src/a.py", "README.md", "docs/pytest.ini.md", "Dockerfile"])
def test_ordinary_files_are_not_protected(path: str) -> None:
    assert protected(path, b"a", b"b") == []


@pytest.mark.parametrize(
    "path",
    [
        ".github/CONTRIBUTING.md",
        ".github/PULL_REQUEST_TEMPLATE.md",
        ".github/pull_request_template.md",
        ".github/ISSUE_TEMPLATE/bug.yml",
        ".github/FUNDING.yml",
    ],
)
def test_texts_for_people_are_no_bar_though_they_lie_beside_it(path: str) -> None:
    """They run nothing; a change of one would be refused for nothing."""
    assert protected(path, b"a", b"b") == []
    assert protected(path, b"a", b"b", extra=(".github/**",))


@pytest.mark.parametrize(
    "path", [".github/CODEOWNERS", ".github/copilot-instructions.md", ".github/dependabot.yml"]
)
def test_what_steers_reviews_and_agents_stays_protected(path: str) -> None:
    assert protected(path, b"a", b"b")


def test_settings_add_to_and_take_from_the_list_and_what_they_add_wins() -> None:
    assert protected("src/auth.py", b"a", b"b", extra=("src/auth*",))
    assert protected("setup.cfg", b"a", b"b", removed=("setup.cfg",)) == []
    assert protected("setup.cfg", b"a", b"b", extra=("*.cfg",), removed=("**",))


PYPROJECT = (
    b'[project]\nname = "x"\n[tool.pytest.ini_options]\nstrict = true\n[tool.black]\nline-length = 100\n'
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PYPROJECT, PYPROJECT.replace(b'"x"', b'"y"'), []),
        (PYPROJECT, PYPROJECT.replace(b"100", b"90"), []),
        (PYPROJECT, PYPROJECT.replace(b"strict = true\n", b"\n# moved\nstrict = true\n"), []),
        (PYPROJECT, PYPROJECT.replace(b"strict = true", b"strict = false"), ["[tool.pytest]"]),
        (PYPROJECT, PYPROJECT.replace(b"strict = true", b"strict = 1"), ["[tool.pytest]"]),
        (PYPROJECT, PYPROJECT + b"[tool.ruff]\n", ["[tool.ruff]"]),
        (PYPROJECT, PYPROJECT + b"[tool.signoff.checks]\ntest = ['true']\n", ["[tool.signoff]"]),
        (PYPROJECT, PYPROJECT + b"[tool.coverage.run]\nomit=['*']\n", ["[tool.coverage]"]),
        (PYPROJECT, PYPROJECT + b"[tool.mypy]\n", ["[tool.mypy]"]),
        (PYPROJECT, b"[project]\n", ["[tool.pytest]"]),
        (PYPROJECT, b"[project\n", ["cannot be parsed"]),
        (PYPROJECT, b"\xff\xfe", ["cannot be parsed"]),
        (PYPROJECT, b"tool = 3\n", ["cannot be parsed"]),
        (PYPROJECT, None, ["[tool.pytest]"]),
        (b"[project]\n", None, []),
        (None, PYPROJECT, ["[tool.pytest]"]),
        (None, b"[project]\n", []),
        (b"[broken", PYPROJECT, ["[tool.pytest]"]),
    ],
)
def test_pyproject_may_change_outside_its_protected_tables(
    before: bytes | None, after: bytes | None, expected: list[str]
) -> None:
    messages = protected("pyproject.toml", before, after)

    assert len(messages) == len(expected)
    assert all(part in message for part, message in zip(expected, messages, strict=True))


PACKAGE = b'{"name": "x", "scripts": {"test": "node --test"}, "dependencies": {}}'


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PACKAGE, PACKAGE.replace(b'"x"', b'"y"'), []),
        (PACKAGE, PACKAGE.replace(b"node --test", b"true"), ["scripts"]),
        (PACKAGE, PACKAGE.replace(b'"name"', b'"jest": {"testPathIgnorePatterns": ["x"]}, "name"'), ["jest"]),
        (PACKAGE, PACKAGE.replace(b'"name"', b'"jest": null, "name"'), ["jest"]),
        (PACKAGE, b"{", ["cannot be parsed"]),
        (PACKAGE, b"[]", ["cannot be parsed"]),
        (PACKAGE, b"[" * 100_000, ["cannot be parsed"]),
        (PACKAGE, None, ["scripts"]),
        (None, PACKAGE, ["scripts"]),
    ],
)
def test_package_json_may_change_outside_its_protected_keys(
    before: bytes | None, after: bytes | None, expected: list[str]
) -> None:
    messages = protected("package.json", before, after)

    assert len(messages) == len(expected)
    assert all(part in message for part, message in zip(expected, messages, strict=True))


def test_a_new_package_of_a_workspace_may_bring_its_scripts_but_no_runner_configuration() -> None:
    assert protected("packages/new/package.json", None, PACKAGE) == []
    assert protected("packages/new/package.json", None, b'{"vitest": {}}')
    assert protected("packages/old/package.json", b"{}", PACKAGE)


def test_a_sectioned_file_that_becomes_a_link_is_refused() -> None:
    """What a link's target is called could even be valid TOML."""
    findings = protected_findings([change("pyproject.toml", ChangeKind.RETYPED)], reader({}), reader({}))

    assert len(findings) == 1


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("json.py", "json"),
        ("src/json.py", "json"),
        ("unittest/__init__.py", "unittest"),
        ("src/unittest/mock.py", "unittest"),
        ("iniconfig/__init__.py", "iniconfig"),
        ("src/coverage.py", "coverage"),
        ("xdist/plugin.py", "xdist"),
        ("_socket.cpython-312-x86_64-linux-gnu.so", "_socket"),
    ],
)
def test_a_new_file_that_shadows_a_module_of_the_checks_is_refused(path: str, module: str) -> None:
    """Else it is imported into every check, and can say what it likes there."""
    messages = protected(path, None, b"")

    assert len(messages) == 1
    assert f"shadows {module} for every check" in messages[0]


@pytest.mark.parametrize(
    "path",
    ["shop/json.py", "src/shop/types.py", "test/a.py", "tests/a.py", "html/index.html", "packaging/deb.txt"],
)
def test_a_new_file_that_shadows_nothing_is_free(path: str) -> None:
    assert protected(path, None, b"") == []


def test_a_shadow_of_the_base_may_change_and_grow() -> None:
    """A project may be the module itself, or have lived with such a name for years."""
    base = {"src/packaging/__init__.py": b"", "queue.py": b""}
    grown = change("src/packaging/tags.py", ChangeKind.ADDED)

    assert protected("queue.py", b"a", b"b") == []
    assert protected_findings([grown], reader(base), reader({})) == ()
    assert protected_findings([grown], reader({}), reader({}))


# --- the program behind a gate ---

TREE = frozenset(
    (
        *(
            "check.sh",
            "scripts/lint.py",
            "scripts/lint/__main__.py",
            "foo.cfg",
            "lint.js",
            "src/a.py",
            "src/b.ts",
        ),
        *("tests/test_x.py", "tests/x.test.js", "Makefile", "justfile", "Taskfile.yml", "package.json"),
        *("tools/plugin.py", "setup.js", "web/package.json", "web/lint.js", "web/Makefile", "rules.yml"),
    )
)
SCRIPTS = {
    "lint": "npm run lint:js && npm run lint:py -- --fix",
    "lint:js": "NODE_ENV=test node ./lint.js src/b.ts",
    "lint:py": "cd scripts; python lint.py",
    "test": "node --test tests/x.test.js",
    "pretest": "./check.sh",
    "loop": "npm run loop",
    "all": "run-s lint:js",
    "release": "node setup.js",
}


def bar(*argv: str) -> list[str]:
    scripts = json.dumps({"scripts": SCRIPTS}).encode()
    web = json.dumps({"scripts": {"lint": "node lint.js"}}).encode()
    return list(bar_files({"gate": argv}, TREE, {"package.json": scripts, "web/package.json": web}.get))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("./check.sh", ["check.sh"]),
        ("check.sh", ["check.sh"]),
        ("sh check.sh", ["check.sh"]),
        ("bash -e ./check.sh rules.yml", ["check.sh", "rules.yml"]),
        ("scripts/lint.py src", ["scripts/lint.py"]),
        ("scripts/lint.py src/a.py tests/test_x.py", ["scripts/lint.py"]),
        (".venv/bin/python3.12 -W error scripts/lint.py", ["scripts/lint.py"]),
        ("python -m scripts.lint", ["scripts/lint.py", "scripts/lint/__main__.py"]),
        ("uv run --with x python scripts/lint.py", ["scripts/lint.py"]),
        ("env A=1 timeout 30 ./check.sh", ["check.sh"]),
        ("python src/a.py", ["src/a.py"]),
        ("node lint", ["lint.js"]),
        ("node -r ./setup.js src/b.ts", ["setup.js", "src/b.ts"]),
        ("node --import=./setup.js src/b.ts", ["setup.js", "src/b.ts"]),
        ("unknown --config=foo.cfg", ["foo.cfg"]),
        ("ruff check --config ./foo.cfg src/a.py", ["foo.cfg"]),
        ("mypy --config-file=foo.cfg src/a.py", ["foo.cfg"]),
        ("pytest -p tools.plugin -c foo.cfg tests/test_x.py", ["foo.cfg", "tools/plugin.py"]),
        ("node --import ./setup.js --test tests/x.test.js", ["setup.js"]),
        ("make lint", ["Makefile"]),
        ("make -C web lint", ["web/Makefile"]),
        ("just lint", ["justfile"]),
        ("task lint", ["Taskfile.yml"]),
        ("npm run lint", ["lint.js", "scripts/lint.py"]),
        ("yarn lint:js", ["lint.js"]),
        ("pnpm run lint:py", ["scripts/lint.py"]),
        ("bun run lint:js", ["lint.js"]),
        ("bun lint.js", ["lint.js"]),
        ("npm test", ["check.sh"]),
        ("npm run all", ["lint.js"]),
        ("npm --prefix web run lint", ["web/lint.js"]),
        ("npm run loop", []),
    ],
)
def test_what_a_gate_runs_is_the_bar(line: str, expected: list[str]) -> None:
    """Else whoever is judged rewrites the linter, and the gate says yes."""
    assert bar(*line.split()) == expected


@pytest.mark.parametrize(
    "line",
    [
        "pytest tests/test_x.py",
        "pytest --ignore=tests/test_x.py --cov=src/a.py tests/",
        "python -m pytest tests/test_x.py",
        "python -m unittest tests/test_x.py",
        "uv run coverage run -m pytest tests/test_x.py",
        "ruff check src/a.py",
        "mypy src/a.py scripts/lint.py",
        "npx eslint lint.js",
        "tsc src/b.ts",
        "node --test tests/x.test.js",
        "bun test tests/x.test.js",
        "unknown src tests/ scripts",
        "/etc/check.sh",
        "",
    ],
)
def test_what_a_gate_is_pointed_at_stays_free(line: str) -> None:
    """Else no delivery could change the product or its tests any more."""
    assert bar(*line.split()) == []


def test_a_line_for_a_shell_is_followed_into_its_commands() -> None:
    assert bar("bash", "-ec", "pytest tests/test_x.py && (cd web; node lint.js) | ./x") == ["web/lint.js"]
    assert bar("sh", "-c", "./check.sh 'unclosed") == ["check.sh"]
    assert bar("sh", "-c", "echo $(./check.sh); bash < rules.yml") == ["check.sh", "rules.yml"]
    assert bar("sh", "-c", "bash <<END\nnode lint.js\nEND") == ["lint.js"]
    assert bar("sh", "-c", "pnpm --filter web exec node lint.js") == ["lint.js"]


@pytest.mark.parametrize("data", [b"[]", b"{", b'{"scripts": []}', b'{"scripts": {"lint": 3}}', None])
def test_a_package_json_of_any_shape_is_no_trouble(data: bytes | None) -> None:
    assert bar_files({"lint": ("npm", "run", "lint")}, TREE, lambda _: data) == ()


def test_the_bar_is_protected_when_handed_on() -> None:
    found = bar_files({"lint": ("./check.sh",)}, TREE, lambda _: None)

    assert protected("check.sh", b"a", b"b", extra=found)


@given(
    st.lists(
        st.sampled_from([*sorted(TREE), "npm", "run", "sh", "-c", "python", "-m", "-", "", "=", "&&", "lint"])
    )
)
def test_only_files_of_the_tree_are_the_bar(argv: list[str]) -> None:
    assert set(bar(*argv)) <= TREE
