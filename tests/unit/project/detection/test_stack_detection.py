"""What a tree is made of, and how it is built and tested."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.run.directives import Facts
from signoff.domain.work.settings import CheckSettings
from signoff.project.detection.stack_detection import detect

PYTEST = ("python", "-m", "pytest")


def look(files: dict[str, str], settings: CheckSettings | None = None) -> Facts:
    data = {path: text.encode() for path, text in files.items()}
    return detect(frozenset(data), data.get, settings or CheckSettings())


def package(script: str, **more: str) -> str:
    scripts = ", ".join(f'"{name}": "{text}"' for name, text in {"test": script, **more}.items())
    return f'{{"scripts": {{{scripts}}}}}'


def test_settings_win_over_what_is_found() -> None:
    facts = look(
        {"pytest.ini": "[pytest]", "package.json": package("node --test")},
        CheckSettings(test=("make", "test"), build=("make",)),
    )

    assert facts.commands == {"test": ("make", "test"), "build": ("make",)}
    assert facts.sources == {"test": "settings", "build": "settings"}
    assert facts.notes == ()


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"pytest.ini": ""}, "pytest.ini"),
        ({"pytest.toml": ""}, "pytest.toml"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.pytest]\n"}, "pyproject.toml"),
        ({"tox.ini": "[tox]\n[pytest]\n"}, "tox.ini"),
        ({"setup.cfg": "[tool:pytest]\n"}, "setup.cfg"),
        ({"tests/conftest.py": "", "a/conftest.py": ""}, "a/conftest.py"),
        ({"tests/test_a.py": "def test_x():\n    pass\n"}, "tests/test_a.py"),
        ({"tests/a_test.py": "import pytest\n"}, "tests/a_test.py"),
    ],
)
def test_pytest_is_the_runner_when_a_file_says_so(files: dict[str, str], source: str) -> None:
    facts = look(files)

    assert facts.commands["test"] == PYTEST
    assert facts.sources["test"] == source
    assert "python" in facts.stacks or source in ("pytest.ini", "pytest.toml", "tox.ini")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup.cfg": "[metadata]\n", "tox.ini": "[tox]\n"},
        {"src/a.py": "def test_x(): pass"},
        {"tests/test_a.py": "import unittest\nclass A(unittest.TestCase):\n    def test_x(self): ...\n"},
        {"package.json": package('echo \\"Error: no test specified\\" && exit 1')},
    ],
)
def test_no_test_command_is_guessed(files: dict[str, str]) -> None:
    facts = look(files)

    assert "test" not in facts.commands
    assert any("no test command found" in note for note in facts.notes)


def test_linters_are_run_only_where_they_are_configured() -> None:
    assert "lint" not in look({"pyproject.toml": ""}).commands
    assert look({"ruff.toml": ""}).commands["lint"] == ("python", "-m", "ruff", "check", "--no-cache", ".")


def test_a_second_linter_is_not_run_and_that_is_said() -> None:
    facts = look({"pyproject.toml": "[tool.ruff]\n", "pytest.ini": "", "Makefile": "lint: fmt\n\truff .\n"})

    assert facts.commands["lint"][2] == "ruff"
    assert any("make lint" in note and "not run" in note for note in facts.notes)


@pytest.mark.parametrize(
    ("script", "argv"),
    [
        ("node --test", ("node", "--test")),
        ("node --test 'test/**/*.js'", ("node", "--test", "test/**/*.js")),
        ("node --import tsx --test test/*.ts", ("node", "--import", "tsx", "--test", "test/*.ts")),
        ("vitest", ("npx", "--no-install", "vitest", "run")),
        ("vitest run --coverage", ("npx", "--no-install", "vitest", "run", "--coverage")),
        ("vitest watch", ("npm", "run", "--silent", "test")),
        ("tsc && node --test", ("npm", "run", "--silent", "test")),
        ("NODE_ENV=test node --test", ("npm", "run", "--silent", "test")),
        ("node --test $FILES", ("npm", "run", "--silent", "test")),
        ("jest", ("npm", "run", "--silent", "test")),
        ("node --test 'unclosed", ("npm", "run", "--silent", "test")),
    ],
)
def test_a_script_is_started_directly_when_its_runner_can_report(script: str, argv: tuple[str, ...]) -> None:
    facts = look({"package.json": package(script)})

    assert facts.commands["test"] == argv
    assert facts.sources["test"] == "package.json"
    assert any("no report we can read" in note for note in facts.notes) is (argv[0] == "npm")


def test_build_and_lint_scripts_go_through_npm_and_skipped_hooks_are_named() -> None:
    facts = look({"package.json": package("node --test", build="tsc", lint="eslint .", pretest="x")})

    assert facts.commands["build"] == ("npm", "run", "--silent", "build")
    assert facts.commands["lint"] == ("npm", "run", "--silent", "lint")
    assert any("pretest is not run" in note for note in facts.notes)


def test_with_two_stacks_python_is_tested_and_the_other_is_named() -> None:
    facts = look({"pytest.ini": "", "a.py": "", "package.json": package("node --test")})

    assert facts.stacks == ("python", "node")
    assert facts.commands["test"] == PYTEST
    assert any("`node --test` (package.json) is not run" in note for note in facts.notes)


def test_other_stacks_are_named_only() -> None:
    facts = look({"go.mod": "", "Cargo.toml": "", "build.gradle": ""})

    assert facts.stacks == ("go", "rust", "java")
    assert facts.commands == {}
    assert any("go is recognised by name only" in note for note in facts.notes)


def test_module_guides_are_found_anywhere_but_not_in_dependencies() -> None:
    facts = look(
        dict.fromkeys(("AGENTS.md", "src/a/CLAUDE.md", "node_modules/x/AGENTS.md", "MYAGENTS.md"), "")
    )

    assert facts.guides == ("AGENTS.md", "src/a/CLAUDE.md")


def test_dependencies_that_are_not_carried_and_submodules_are_remarked_on() -> None:
    manifest = '{"devDependencies": {"x": "1"}}'

    assert any("carry" in note for note in look({"package.json": manifest}).notes)
    assert not any(
        "carry" in note
        for note in look({"package.json": manifest}, CheckSettings(carry=("node_modules",))).notes
    )
    assert any("submodules" in note for note in look({".gitmodules": ""}).notes)


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"scripts": []}', '{"scripts": {"test": 3}}'])
def test_a_broken_package_json_gives_no_command(text: str) -> None:
    assert look({"package.json": text}).commands == {}


@given(st.text(max_size=60), st.binary(max_size=60))
def test_looking_never_crashes(text: str, data: bytes) -> None:
    """Manifests are read as found in any commit."""
    files = {"pyproject.toml": data, "package.json": data, "setup.cfg": data, "tests/test_a.py": data}
    facts = detect(frozenset(files), files.get, CheckSettings())
    script = look({"package.json": package(text.replace("\\", "").replace('"', ""))})

    assert facts.stacks == ("python", "node")
    assert script.stacks == ("node",)
