"""Finding the further checks of a project, and when each of them counts."""

import json

import pytest

from signoff.contracts.clauses.contract_clauses import left_out, project_gates
from signoff.domain.base.typed_ids import ClauseId, TreeId
from signoff.domain.run.directives import Facts
from signoff.domain.work.checks import Place, RunGate
from signoff.domain.work.observations import Observation, Result
from signoff.domain.work.settings import CheckSettings, ExtraCheck, Preset
from signoff.domain.work.strategies import Strategy, StrategyKind, WhenBase
from signoff.project.detection.extra_checks import bar_of_gates
from signoff.project.detection.stack_detection import detect
from signoff.project.settings.settings_reader import read_settings

TSC = ("npx", "--no-install", "tsc", "--noEmit")


def look(files: dict[str, str], settings: CheckSettings | None = None) -> Facts:
    data = {path: text.encode() for path, text in files.items()}
    return detect(frozenset(data), data.get, settings or CheckSettings())


def package(*needs: str, **scripts: str) -> str:
    named = {name.replace("__", ":"): text for name, text in scripts.items()}
    return json.dumps({"scripts": named, "devDependencies": dict.fromkeys(needs, "1")})


def found(files: dict[str, str], name: str) -> Strategy | None:
    return next((one for one in look(files).strategies if one.name == name), None)


@pytest.mark.parametrize(
    ("files", "argv", "source"),
    [
        ({"mypy.ini": "[mypy]"}, ("python", "-m", "mypy", "."), "mypy.ini"),
        ({"setup.cfg": "[mypy]\nfiles = src"}, ("python", "-m", "mypy"), "setup.cfg"),
        ({"pyproject.toml": "[tool.mypy]\nfiles='src'"}, ("python", "-m", "mypy"), "pyproject.toml"),
        ({"pyrightconfig.json": "{}"}, ("python", "-m", "pyright"), "pyrightconfig.json"),
        ({"tsconfig.json": "{}", "package.json": package("typescript")}, TSC, "tsconfig.json"),
        (
            {"tsconfig.json": "{}", "package.json": package("typescript", typecheck="tsc -b")},
            ("npm", "run", "--silent", "typecheck"),
            "package.json",
        ),
        ({"Makefile": "typecheck: deps\n\tmypy .\n"}, ("make", "typecheck"), "Makefile"),
    ],
)
def test_a_type_check_is_found_where_a_file_says_so(
    files: dict[str, str], argv: tuple[str, ...], source: str
) -> None:
    one = found(files, "typecheck")

    assert one is not None
    assert (one.argv, one.source, one.kind) == (argv, source, StrategyKind.TYPECHECK)


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": ""},
        {"tsconfig.json": "{}"},
        {"tsconfig.json": '{"references": [{"path": "a"}]}', "package.json": package("typescript")},
        {"Makefile": "typecheck := mypy\n"},
    ],
)
def test_a_type_check_that_would_be_a_guess_is_not_run(files: dict[str, str]) -> None:
    assert found(files, "typecheck") is None


def test_browser_and_api_checks_are_found_by_their_own_files() -> None:
    files = {"playwright.config.ts": "", "package.json": package("@playwright/test", test__api="node api.js")}
    browser, api = found(files, "browser"), found(files, "api")

    assert browser is not None
    assert browser.argv == ("npx", "--no-install", "playwright", "test")
    assert api is not None
    assert api.argv == ("npm", "run", "--silent", "test:api")


def test_a_described_api_that_nothing_checks_is_only_mentioned() -> None:
    facts = look({"docs/openapi.yaml": "openapi: 3.1.0"})

    assert facts.strategies == ()
    assert any("docs/openapi.yaml" in note for note in facts.notes)


def test_what_was_only_found_never_stops_a_delivery_that_it_could_not_judge_before() -> None:
    """A tool that this machine lacks would make every run of an ordinary repository end with 5."""
    facts = look({"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[tool.pytest]\n", "Makefile": "lint:\n"})

    assert facts.counts_when == {"lint": WhenBase.RUNS, "typecheck": WhenBase.PASSES}


def test_what_the_settings_ask_for_always_counts() -> None:
    """A configured check that cannot run fails closed."""
    settings = CheckSettings(
        lint=("l",), typecheck=("t",), extra=(ExtraCheck(name="browser", command=("b",), required=False),)
    )
    facts = look(
        {"mypy.ini": "", "playwright.config.ts": "", "package.json": package("@playwright/test")}, settings
    )

    assert facts.counts_when == {}
    assert {one.name: one.argv for one in facts.strategies} == {"browser": ("b",), "typecheck": ("t",)}


def test_a_preset_demands_and_the_projects_own_files_say_how() -> None:
    settings = CheckSettings(preset=Preset.API_NODE)
    facts = look({"package.json": package(lint="eslint .", typecheck="tsc -b")}, settings)

    assert {one.name: one.argv[-1] for one in facts.strategies} == {
        "typecheck": "typecheck",
        "api": "test:api",
    }
    assert facts.commands["lint"] == ("npm", "run", "--silent", "lint")
    assert facts.counts_when == {}


def seen(gate: str, result: Result) -> Observation:
    return Observation(clause=ClauseId(gate), place=Place.BASE, tree=TreeId("t"), result=result, detail="why")


@pytest.mark.parametrize("result", Result)
@pytest.mark.parametrize("when", WhenBase)
def test_a_gate_is_left_out_only_for_what_the_base_showed(when: WhenBase, result: Result) -> None:
    facts = Facts(strategies=(Strategy(name="x", argv=("x",)),), counts_when={"x": when})
    absent = left_out(facts, lambda gate: seen(gate, result))

    expected = {
        WhenBase.ANY: False,
        WhenBase.RUNS: result is Result.PARTIAL,
        WhenBase.PASSES: result is not Result.PASS,
    }
    assert ("gate/x" in absent) is expected[when]
    assert left_out(facts, lambda _: None) == {}


def test_each_strategy_is_a_gate_with_all_it_was_given() -> None:
    extra = ExtraCheck(
        name="api",
        command=("check", "{port}"),
        kind=StrategyKind.API,
        required=False,
        timeout_s=9,
        report="r.xml",
        serve=("serve", "{port}"),
        ready_url="http://127.0.0.1:{port}/",
    )
    (gate,) = project_gates(look({}, CheckSettings(extra=(extra,))))

    assert (gate.id, gate.required) == ("gate/api", False)
    assert isinstance(gate.check, RunGate)
    assert gate.check.serve is not None
    assert (gate.check.timeout_s, gate.check.report, gate.check.serve.argv) == (
        9,
        "r.xml",
        ("serve", "{port}"),
    )


def test_what_a_strategy_runs_is_part_of_the_bar_and_its_server_is_not() -> None:
    """Whoever is judged would write the bar, or could not write the product."""
    extra = ExtraCheck(
        name="api", command=("python", "checks/api.py"), serve=("python", "shop/serve.py"), ready_port=1
    )
    files = {"checks/api.py": b"", "shop/serve.py": b"", "tsconfig.json": b"", "a/tsconfig.json": b""}
    facts = detect(frozenset(files), files.get, CheckSettings(extra=(extra,), typecheck=("tsc",)))

    assert bar_of_gates(facts, frozenset(files), files.get) == ("checks/api.py", "tsconfig.json")


EXTRA = "[[checks.extra]]\nname = 'api'\ncommand = ['c']\n"


@pytest.mark.parametrize(
    ("toml", "code"),
    [
        (EXTRA.replace("'api'", "'tests'"), "name-taken"),
        (EXTRA + EXTRA, "name-taken"),
        (EXTRA.replace("'api'", "'A b'"), "bad-value"),
        (EXTRA + "serve = ['s']\n", "server-unready"),
        (EXTRA + "serve = ['s']\nready_port = 1\nready_url = 'http://127.0.0.1:1'\n", "server-unready"),
        (EXTRA + "ready_port = 80\n", "server-unready"),
        (EXTRA.replace("'c'", "'{port}'"), "server-unready"),
        (EXTRA + "serve = ['s']\nready_url = 'http://example.org:80/'\n", "not-loopback"),
        (EXTRA + "serve = ['s']\nready_url = 'http://127.0.0.1/'\n", "not-loopback"),
        (EXTRA + "report = '../r.xml'\n", "path-outside"),
    ],
)
def test_a_further_check_that_makes_no_sense_stops_everything(toml: str, code: str) -> None:
    """Falling back to less than was asked for would lower the bar without saying so."""
    read = read_settings(toml.encode(), None)

    assert read.settings is None
    assert code in [violation.code for violation in read.violations] or code == "bad-value"


def test_a_sensible_further_check_is_read() -> None:
    toml = EXTRA + "serve = ['s', '{port}']\nready_url = 'http://127.0.0.1:{port}/up'\n"
    read = read_settings(toml.encode(), None)

    assert read.settings is not None, read.violations
    assert read.settings.checks.extra[0].ready_timeout_s == 60
