"""Edits of settings and pipelines that run no less, and their neighbours that do."""

# ruff: noqa: E501 - settings are read as one line each

import pytest

from signoff.domain.evidence.case_records import FileSides
from signoff.judges.test_integrity.comparison.integrity_verdict import judge
from signoff.judges.test_integrity.runner_settings.settings_comparison import compare_config, is_config

CI = ".github/workflows/ci.yml"
PYTEST = "[tool.pytest.ini_options]\n"


def kinds(*sides: FileSides) -> list[tuple[str, str]]:
    return [(found.path, str(found.kind)) for found in judge(sides, {}, frozenset()).findings]


def one(path: str, before: str, after: str) -> list[str]:
    return [str(found.kind) for found in compare_config(path, before, after)]


@pytest.mark.parametrize(
    "path",
    [
        "test/fixtures/app/package.json",
        "tests/__fixtures__/pytest.ini",
        "pkg/testdata/Makefile",
        "node_modules/x/package.json",
        "vendor/x/tox.ini",
        "test/list-exports/.github/workflows/node.yml",
        "sub/.travis.yml",
    ],
)
def test_settings_of_somebody_else_are_not_this_projects(path: str) -> None:
    """A runner that is configured by test data or by a foreign package would be reported at every update."""
    assert not is_config(path)


@pytest.mark.parametrize(
    "path", [CI, ".travis.yml", "web/package.json", "fixtures.ini/../tox.ini", "tests/pytest.ini"]
)
def test_settings_that_the_project_reads_are_still_looked_at(path: str) -> None:
    assert is_config(path)


# --- from one file to another ---

SETUP_CFG = "[tool:pytest]\naddopts = -ra\nxfail_strict = true\n[coverage:run]\nbranch = True\nomit =\n    shop/old.py\n[coverage:report]\nfail_under = 90\nexclude_lines =\n    def debug\n"
IN_TOML = (
    f'{PYTEST}addopts = "-ra"\nxfail_strict = true\n'
    '[tool.coverage.run]\nbranch = true\nomit = ["shop/old.py"]\n'
    '[tool.coverage.report]\nfail_under = 90\nexclude_lines = ["def debug"]\n'
)


@pytest.mark.parametrize("after", ["", None, "[metadata]\nname = shop\n"])
def test_settings_that_moved_to_another_file_are_no_finding(after: str | None) -> None:
    moved = FileSides("setup.cfg", SETUP_CFG, after), FileSides("pyproject.toml", "", IN_TOML)
    assert kinds(*moved) == []


def test_all_of_pytests_strictness_in_one_word_holds_that_of_expected_failures() -> None:
    before = "[pytest]\nxfail_strict = true\n"
    assert (
        kinds(
            FileSides("tox.ini", before, ""),
            FileSides("pyproject.toml", "", "[tool.pytest]\nstrict = true\n"),
        )
        == []
    )


@pytest.mark.parametrize(
    ("was", "now", "kind"),
    [
        ("fail_under = 90", "fail_under = 50", "coverage-lowered"),
        ("branch = true", "branch = false", "coverage-lowered"),
        ("xfail_strict = true", "xfail_strict = false", "expected-to-fail"),
        ('"shop/old.py"', '"shop/old.py", "shop/core.py"', "coverage-lowered"),
        ('"-ra"', '"-ra -k smoke"', "collection-narrowed"),
    ],
)
def test_a_setting_that_got_weaker_on_the_way_is_told_where_it_is_now(was: str, now: str, kind: str) -> None:
    """Otherwise moving a threshold to another file would be the way to lower it."""
    assert IN_TOML.count(was) == 1
    changed = FileSides("pyproject.toml", "", IN_TOML.replace(was, now))
    assert kinds(FileSides("setup.cfg", SETUP_CFG, None), changed) == [("pyproject.toml", kind)]


def test_a_setting_that_moved_to_another_folder_is_gone_here() -> None:
    assert kinds(FileSides("setup.cfg", SETUP_CFG, None), FileSides("web/pyproject.toml", "", IN_TOML))


# --- commands ---


def test_tests_that_another_service_runs_now_are_no_finding() -> None:
    moved = FileSides(".travis.yml", "script:\n  - tox\n", None), FileSides(CI, None, "- run: tox -e py\n")
    assert kinds(*moved) == []


def test_a_step_that_moved_to_another_pipeline_is_no_finding() -> None:
    before, after = "- run: tox\n- run: ruff check\n", "- run: ruff check\n"
    other = ".github/workflows/tests.yml"
    assert kinds(FileSides(CI, before, after), FileSides(other, None, "- run: tox run\n")) == []
    assert kinds(FileSides(CI, before, after), FileSides(other, None, "- run: tox -e docs\n")) == [
        (CI, "collection-narrowed")
    ]
    assert kinds(FileSides(CI, before, after), FileSides(other, "- run: tox\n", "- run: tox\n# a\n")) == [
        (CI, "collection-narrowed")
    ]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (CI, "- run: tox -e docs\n", "- run: echo\n"),
        (CI, "- run: tox run -e lint,mypy\n", ""),
        (CI, "- run: nox -s flake8 -- shop\n", ""),
        ("Makefile", "format:\n\ttox -e py310-format-check\n", "format:\n\techo\n"),
        (CI, "  pip-install: --group tox\n", "\n"),
        (CI, "- run: set PATH=x # so tox can find it\n", "\n"),
        (
            "tox.ini",
            "[testenv]\ndeps =\n    pytest\ncommands =\n    pytest {posargs}\n",
            "[testenv]\ncommands =\n    pytest {posargs}\n",
        ),
        (".pre-commit-config.yaml", "  additional_dependencies:\n    - pytest\n", "\n"),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -o junit_family=legacy\n"),
        ("pytest.ini", "[pytest]\npython_classes = Test\n", "[pytest]\npython_classes = Test*\n"),
        (
            "pytest.ini",
            "[pytest]\nnorecursedirs = docs\n",
            "[pytest]\nnorecursedirs = docs requirements .hypothesis\n",
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = .* build dist docs *.egg-info\n"),
        ("pytest.ini", "[pytest]\ntestpaths = test\n", "[pytest]\ntestpaths = tests\n"),
        (".nycrc", "{}", '{"exclude": ["coverage", "example", "test"]}'),
        (".coveragerc", "[run]\n", "[run]\nomit =\n    setup.py\n    tests/*\n    */.tox/*\n"),
        (
            ".coveragerc",
            "[report]\n",
            "[report]\nexclude_also =\n    if TYPE_CHECKING:\n    @overload\n    raise NotImplementedError\n",
        ),
        (".coveragerc", "[run]\nsource =\n    tests\n", "[run]\nsource =\n    .\n"),
        (
            "setup.cfg",
            "[coverage:paths]\nsource =\n    src/a\n    lib\n",
            "[coverage:paths]\nsource =\n    src\n",
        ),
        (
            "package.json",
            '{"scripts": {"coverage": "covert test/*.js"}}',
            '{"scripts": {"tests-only": "nyc tape test/*.js"}}',
        ),
        (
            "package.json",
            '{"scripts": {"test": "tape test/*.js"}}',
            '{"scripts": {"test": "tape \'test/**/*.js\'"}}',
        ),
    ],
)
def test_what_runs_no_less_is_no_finding(path: str, before: str, after: str) -> None:
    assert one(path, before, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "kind"),
    [
        (CI, "- run: tox -e py,docs\n", "- run: echo\n", "collection-narrowed"),
        (CI, "- run: tox -e py\n", "- run: tox -e docs\n", "collection-narrowed"),
        (CI, "- run: pytest\n", "- run: pytest 'a #b' || true\n", "collection-narrowed"),
        (
            "tox.ini",
            "[testenv]\ncommands =\n    pytest\n",
            "[testenv]\ndeps =\n    pytest\n",
            "collection-narrowed",
        ),
        (".pre-commit-config.yaml", "    entry: pytest\n", "    entry: echo\n", "collection-narrowed"),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -o testpaths=tests/a\n", "collection-narrowed"),
        ("pytest.ini", "[pytest]\n", "[pytest]\npython_classes = Only*\n", "collection-narrowed"),
        (
            "pytest.ini",
            "[pytest]\nnorecursedirs = docs\n",
            "[pytest]\nnorecursedirs = docs unit\n",
            "collection-narrowed",
        ),
        (
            "pytest.ini",
            "[pytest]\ntestpaths = test shop\n",
            "[pytest]\ntestpaths = tests\n",
            "collection-narrowed",
        ),
        (".nycrc", "{}", '{"exclude": ["lib/core.js"]}', "coverage-lowered"),
        (".coveragerc", "[run]\n", "[run]\nomit =\n    shop/core.py\n", "coverage-lowered"),
        (".coveragerc", "[report]\n", "[report]\nexclude_also =\n    def total\n", "coverage-lowered"),
        (
            "package.json",
            '{"scripts": {"test": "tape test/*.js"}}',
            '{"scripts": {"other": "tape test/*.js x"}}',
            "collection-narrowed",
        ),
        (
            "package.json",
            '{"scripts": {"test": "tape test/*.js"}}',
            '{"scripts": {"test": "tape test/a.js"}}',
            "collection-narrowed",
        ),
    ],
)
def test_what_runs_less_is_found_beside_it(path: str, before: str, after: str, kind: str) -> None:
    assert one(path, before, after) == [kind]
