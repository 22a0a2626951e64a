"""Configuration that takes tests out of the run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.evidence.case_records import FileSides, WeakeningKind
from signoff.judges.test_integrity.comparison.integrity_verdict import judge
from signoff.judges.test_integrity.runner_settings.settings_comparison import compare_config, is_config


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
    judged = judge([FileSides("pytest.ini", None, f"[pytest]\n{line}\n")], {}, frozenset())

    assert [found.kind for found in judged.findings] == [WeakeningKind.COLLECTION_NARROWED]


def test_a_new_file_of_ordinary_settings_is_no_finding() -> None:
    text = "[pytest]\ntestpaths = tests\naddopts = -q --strict-markers\n"

    assert judge([FileSides("pytest.ini", None, text)], {}, frozenset()).findings == []


# --- scripts of several lines, and what stands around a command ---

STEPS = """on: [push]
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - name: tests
        run: |
          pip install -e .
          pytest -q
          echo done
      - name: upload
        run: ./upload.sh
"""
GITLAB = """test:
  script:
    - pip install -e .
    - pytest
"""
AZURE = """steps:
- script: |
    pytest
  displayName: tests
"""
CIRCLE = """jobs:
  build:
    steps:
      - run:
          name: tests
          command: |
            pytest
"""
TOX = "[tox]\nenvlist = py\n\n[testenv]\ndeps = pytest\ncommands =\n    python -V\n    pytest {posargs}\n"
NOX = """@nox.session
def tests(session):
    session.install("pytest")
    session.run(
        "pytest",
        "tests",
    )
"""
MAKE = "test:\n\tgo vet ./...\n\tgo test ./...\n\tpytest\n"
PACKAGE = """{"scripts": {
  "lint": "eslint .", "unit": "jest", "e2e": "playwright test",
  "test": "npm run lint && npm run unit && npm run e2e"}}"""
NARROWED = WeakeningKind.COLLECTION_NARROWED


@pytest.mark.parametrize(
    ("path", "before", "was", "now"),
    [
        (CI, STEPS, "          pytest -q\n", "          set +e\n          pytest -q\n"),
        (CI, STEPS, "          pip install", "          set +e\n          pip install"),
        (CI, STEPS, "          echo done\n", "          exit 0\n"),
        (CI, STEPS, "          echo done\n", "          echo done\n          true\n"),
        (CI, STEPS, "          pip install", "          exit 0\n          pip install"),
        (CI, STEPS, "          pip install", "          trap 'exit 0' EXIT\n          pip install"),
        (CI, STEPS, "pytest -q\n", "pytest -q || true\n"),
        (CI, STEPS, "pytest -q\n", "pytest -q; true\n"),
        (CI, STEPS, "pytest -q\n", "pytest -q \\\n            || true\n"),
        (CI, STEPS, "pytest -q\n", "pytest -q \\\n            --deselect tests/a.py\n"),
        (CI, STEPS, "          pytest -q\n", ""),
        (CI, STEPS, "        run: |\n", "        continue-on-error: true\n        run: |\n"),
        (CI, STEPS, "        run: |\n", "        if: false\n        run: |\n"),
        (CI, STEPS, "        run: |\n", "        if: ${{ false }}\n        run: |\n"),
        (CI, STEPS, "        run: |\n", "        shell: bash {0}\n        run: |\n"),
        (CI, STEPS, "  test:\n", "  test:\n    continue-on-error: true\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - set +e\n    - pytest\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - pytest\n    - exit 0\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - 'pytest; true'\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - pytest\n  allow_failure: true\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - pytest\n  allow_failure:\n    exit_codes: 1\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - pytest\n  when: manual\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", ""),
        ("azure-pipelines.yml", AZURE, "  displayName", "  continueOnError: true\n  displayName"),
        ("azure-pipelines.yml", AZURE, "  displayName", "  condition: false\n  displayName"),
        ("azure-pipelines.yml", AZURE, "    pytest\n", "    pytest\n    exit 0\n"),
        (".circleci/config.yml", CIRCLE, "            pytest\n", "            set +e\n            pytest\n"),
        (".circleci/config.yml", CIRCLE, "            pytest\n", "            echo ok\n"),
        ("Jenkinsfile", "sh 'pytest'\n", "sh 'pytest'", "catchError { sh 'pytest' }"),
        ("scripts/test.sh", "set -e\npytest\n", "pytest\n", "set +e\npytest\n"),
        ("tox.ini", TOX, "    pytest {posargs}", "    - pytest {posargs}"),
        ("tox.ini", TOX, "    pytest {posargs}", "    -pytest {posargs}"),
        ("tox.ini", TOX, "    pytest {posargs}\n", ""),
        ("tox.ini", TOX, "deps = pytest", "deps = pytest\nignore_outcome = true"),
        ("noxfile.py", NOX, '"tests",', '"tests", "-k", "not slow",'),
        ("noxfile.py", NOX, '"tests",', '"tests",\n        "--deselect=tests/test_a.py",'),
        ("noxfile.py", NOX, '"tests",', '"tests", "--ignore", "tests/unit",'),
        ("Makefile", MAKE, "\tpytest", "\t-pytest"),
        ("Makefile", MAKE, "\tpytest", "\t@-pytest"),
        ("Makefile", MAKE, "\tgo test ./...", "\t-go test ./..."),
        ("Makefile", MAKE, "go test ./...", "go test -short ./..."),
        ("Makefile", MAKE, "go test ./...", "go test -run TestOne ./..."),
        ("Makefile", MAKE, "go test ./...", "go test ./one"),
        ("package.json", PACKAGE, " && npm run e2e", ""),
        ("package.json", PACKAGE, "npm run unit && ", ""),
        ("package.json", PACKAGE, "npm run e2e", "npm run e2e || true"),
        ("package.json", PACKAGE, '"jest"', '"jest --passWithNoTests"'),
        ("package.json", PACKAGE, '"jest"', '"jest; exit 0"'),
        ("package.json", '{"scripts": {"test": "jest && mocha"}}', " && mocha", ""),
        ("vitest.config.ts", "x = {}", "{}", "{ test: { include: ['src/one.test.ts'] } }"),
        ("vitest.config.ts", "x = {}", "{}", "{ test: { exclude: ['src/slow/**'] } }"),
    ],
)
def test_what_stands_around_a_command_can_hide_its_failure(
    path: str, before: str, was: str, now: str
) -> None:
    """A run that cannot fail is no run: the command is as it was, and what it finds reaches nobody."""
    assert was in before
    assert kinds(path, before, before) == []

    assert set(kinds(path, before, before.replace(was, now, 1))) == {NARROWED}


@pytest.mark.parametrize(
    ("path", "before", "was", "now"),
    [
        (CI, STEPS, "          pytest -q\n", "          set -euo pipefail\n          pytest -q\n"),
        (
            CI,
            STEPS,
            "          pip install",
            "          set +e\n          clean\n          set -e\n          pip install",
        ),
        (
            CI,
            STEPS,
            "        run: ./upload.sh\n",
            "        run: ./upload.sh\n        continue-on-error: true\n",
        ),
        (CI, STEPS, "        run: ./upload.sh\n", "        run: ./upload.sh || true\n"),
        (CI, STEPS, "      - name: upload\n", "      - name: upload\n        if: false\n"),
        (
            CI,
            STEPS,
            "          echo done\n",
            "          if [ -z $X ]; then\n            exit 0\n          fi\n          echo done\n",
        ),
        (CI, STEPS, "pytest -q\n", "pytest \\\n            -q\n"),
        (".gitlab-ci.yml", GITLAB, "    - pytest\n", "    - ruff check\n    - pytest\n    - coverage xml\n"),
        ("tox.ini", TOX, "    python -V", "    - python -V"),
        ("tox.ini", TOX, "    pytest {posargs}", "    pytest -ra {posargs}"),
        (
            "noxfile.py",
            NOX,
            '        "tests",\n    )',
            '        "tests", "-ra",\n        *session.posargs,\n    )',
        ),
        ("Makefile", MAKE, "\tgo vet", "\t-go vet"),
        ("Makefile", MAKE, "\tpytest", "\t@pytest"),
        ("Makefile", MAKE, "go test ./...", "go test -race -count=1 ./..."),
        ("package.json", PACKAGE, "npm run lint && ", ""),
        ("package.json", PACKAGE, "npm run unit && ", "npm run e2e && jest && "),
        ("package.json", PACKAGE, "npm run unit && npm run e2e", "npm run e2e && npm run unit"),
        ("package.json", '{"scripts": {"test": "mocha"}}', "mocha", "vitest run"),
        ("vitest.config.ts", "x = {}", "{}", "{ test: { include: ['src/**/*.test.ts'] } }"),
    ],
)
def test_a_script_that_runs_as_much_is_no_finding(path: str, before: str, was: str, now: str) -> None:
    assert was in before
    assert kinds(path, before, before.replace(was, now, 1)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("filterwarnings = error", "filterwarnings = ignore"),
        ("filterwarnings = error", ""),
        (
            "filterwarnings =\n    error\n    ignore:x:UserWarning",
            "filterwarnings =\n    ignore:x:UserWarning",
        ),
        ("filterwarnings =\n    error", "filterwarnings =\n    error\n    ignore"),
        ("addopts = -W error", "addopts = -ra"),
    ],
)
def test_warnings_that_failed_a_run_and_no_longer_do_are_found(before: str, after: str) -> None:
    """With `error`, each warning is an assertion that every test makes."""
    assert kinds("pytest.ini", f"[pytest]\n{before}\n", f"[pytest]\n{after}\n") == ["assertion-loosened"]


def test_a_filter_for_one_warning_is_no_finding() -> None:
    before = "[pytest]\nfilterwarnings =\n    error\n"

    assert kinds("pytest.ini", before, f"{before}    ignore:old:DeprecationWarning\n") == []


@given(
    st.lists(
        st.sampled_from([*STEPS.split("\n"), "set +e", "- pytest", "\t-pytest", "exit 0", "x \\", ""]),
        max_size=30,
    )
)
def test_a_text_is_never_weaker_than_itself(lines: list[str]) -> None:
    """Whatever is read in a file, reading it twice gives the same."""
    text = "\n".join(lines)

    for path in (CI, "tox.ini", "Makefile", "noxfile.py", "scripts/test.sh"):
        assert kinds(path, text, text) == []
