"""Configuration that takes tests out of the run."""

import pytest

from signoff.core.test_integrity.config import compare_config, is_config
from signoff.core.test_integrity.judging import judge
from signoff.core.test_integrity.records import Kind, Sides


def kinds(path: str, before: str, after: str) -> list[str]:
    return [str(finding.kind) for finding in compare_config(path, before, after)]


PYTEST = "[tool.pytest.ini_options]\n"
CI = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("path", "before", "after", "kind"),
    [
        ("pyproject.toml", PYTEST, PYTEST + 'addopts = "-k smoke"\n', "collection-narrowed"),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = --ignore=tests/a\n", "collection-narrowed"),
        ("tox.ini", "[pytest]\n", "[pytest]\naddopts = --reruns 3\n", "retries-added"),
        (
            "setup.cfg",
            "[tool:pytest]\ntestpaths = a b\n",
            "[tool:pytest]\ntestpaths = a\n",
            "collection-narrowed",
        ),
        ("pyproject.toml", PYTEST, PYTEST + 'python_files = ["test_a.py"]\n', "collection-narrowed"),
        ("pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = unit\n", "collection-narrowed"),
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 50\n", "coverage-lowered"),
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\n", "coverage-lowered"),
        (
            "package.json",
            '{"scripts": {"test": "jest"}}',
            '{"scripts": {"test": "echo ok"}}',
            "collection-narrowed",
        ),
        (
            "package.json",
            '{"scripts": {"test": "jest"}}',
            '{"scripts": {"test": "jest || true"}}',
            "collection-narrowed",
        ),
        (
            "package.json",
            '{"scripts": {"test": "jest"}}',
            '{"scripts": {"test": "jest --passWithNoTests"}}',
            "collection-narrowed",
        ),
        ("jest.config.js", "x = {}", "x = { testPathIgnorePatterns: ['/a/'] }", "collection-narrowed"),
        ("jest.config.js", "x = { lines: 90 }", "x = { lines: 50 }", "coverage-lowered"),
        ("vitest.config.ts", "x = {}", "x = { retry: 3 }", "retries-added"),
        (CI, "- run: pytest\n", "- run: echo\n", "collection-narrowed"),
        (CI, "- run: pytest\n", "- run: pytest || true\n", "collection-narrowed"),
        (CI, "- run: pytest\n", "- run: pytest\n  continue-on-error: true\n", "collection-narrowed"),
        (CI, "- run: go test ./...\n", "- run: go test -short ./...\n", "collection-narrowed"),
    ],
)
def test_a_setting_that_runs_less_is_found(path: str, before: str, after: str, kind: str) -> None:
    assert is_config(path)
    assert kinds(path, before, after) == [kind]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", PYTEST, PYTEST + 'addopts = ["-ra", "--strict-markers"]\n'),
        ("pyproject.toml", PYTEST, PYTEST + 'testpaths = ["tests"]\n'),
        (".coveragerc", "[report]\nfail_under = 50\n", "[report]\nfail_under = 90\n"),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest --coverage"}}'),
        (CI, "- run: pytest\n", "- name: tests\n  run: pytest\n- run: ruff check\n"),
        ("pyproject.toml", "no toml [", "either ["),
    ],
)
def test_a_setting_that_runs_no_less_is_no_finding(path: str, before: str, after: str) -> None:
    assert kinds(path, before, after) == []


@pytest.mark.parametrize(
    "line",
    [
        "addopts = --ignore=tests/test_x.py",
        "addopts = -k nothing",
        "python_files = zzz_*.py",
        "norecursedirs = tests",
    ],
)
def test_a_new_file_of_settings_narrows_as_well_as_a_changed_one(line: str) -> None:
    judged = judge([Sides("pytest.ini", None, f"[pytest]\n{line}\n")], {}, frozenset())

    assert [found.kind for found in judged.findings] == [Kind.COLLECTION_NARROWED]


def test_a_new_file_of_ordinary_settings_is_no_finding() -> None:
    text = "[pytest]\ntestpaths = tests\naddopts = -q --strict-markers\n"

    assert judge([Sides("pytest.ini", None, text)], {}, frozenset()).findings == []
