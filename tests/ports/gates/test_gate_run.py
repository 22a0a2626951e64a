"""The gates on real repositories, without the command line around them."""

import os
import subprocess
from pathlib import Path

import pytest

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.evidence.gates import GateFinding, GateName, GateReport, GateResult
from signoff.domain.evidence.receipts import (
    CaseOutcome,
    Observation,
    Receipt,
    ReportedTest,
    Result,
    TestReport,
)
from signoff.domain.ports import CheckSeen
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.checks import Place
from signoff.gates.compared_trees import GateRunner
from signoff.gates.gate_run import QUICK, GateRequest, run_gates
from signoff.gates.red_green import show_red_green
from signoff.host.git.git_door import find_git
from signoff.host.places.change_trees import change_between, change_here

# Put together here, so that no scanner of repositories takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
TOOL = find_git({"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
PYPROJECT = "[tool.pytest.ini_options]\naddopts = ''\n"


class Repo:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True)

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, **files: str) -> None:
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_dot_", "."), text)
        self.git("add", "--all")
        self.git("commit", "-qm", "work")

    def judge(self, *names: GateName, base: str | None = "HEAD") -> GateReport:
        with change_here(TOOL, str(self.root), base) as trees:
            return run_gates(trees, GateRequest(names or QUICK), no_runner)

    def gate(self, name: GateName) -> GateResult:
        (found,) = self.judge(name).gates
        return found


def no_runner() -> GateRunner:
    raise AssertionError("no gate that was asked for runs anything")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    root = tmp_path / "repo"
    root.mkdir()
    made = Repo(root)
    made.commit(
        a_dot_py="x = 1\n", pyproject_dot_toml=PYPROJECT, tests__test_a_dot_py="def test_a():\n    assert 1\n"
    )
    return made


def only(result: GateResult) -> GateFinding:
    (finding,) = result.findings
    return finding


def test_an_unchanged_tree_holds_every_gate(repo: Repo) -> None:
    report = repo.judge()

    assert report.ok is True
    assert [gate.name for gate in report.gates] == list(QUICK)
    assert not any(gate.findings for gate in report.gates)


def test_a_secret_in_an_untracked_file_fails_and_is_not_told(repo: Repo) -> None:
    repo.write("new.py", f"\nt = '{TOKEN}'\n")

    finding = only(repo.gate(GateName.SECRETS))

    assert (finding.path, finding.line, finding.kind) == ("new.py", 2, "github-token")
    assert TOKEN[4:12] not in finding.message


def test_a_secret_that_was_there_before_is_not_of_this_change(repo: Repo) -> None:
    repo.commit(old_dot_py=f"t = '{TOKEN}'\n")
    repo.write("old.py", f"# more\nt = '{TOKEN}'\n")

    assert repo.gate(GateName.SECRETS).ok is True


def test_one_nul_does_not_hide_a_secret(repo: Repo) -> None:
    repo.write("new.bin", b"\0" + TOKEN.encode())

    assert repo.gate(GateName.SECRETS).ok is False


def test_a_secret_that_its_line_allows_is_shown_and_does_not_fail(repo: Repo) -> None:
    repo.write("new.py", f"t = '{TOKEN}'  # signoff: allow-secret made up for a test\n")

    result = repo.gate(GateName.SECRETS)

    assert result.ok is True
    assert "made up for a test" in only(result).message


def test_a_deleted_test_fails(repo: Repo) -> None:
    repo.write("tests/test_a.py", "")

    result = repo.gate(GateName.TEST_INTEGRITY)

    assert result.ok is False
    assert {finding.kind for finding in result.findings} == {"deleted"}


def test_only_what_is_important_fails_the_test_gap(repo: Repo) -> None:
    repo.write("b.py", "def shiny():\n    return 1\n")
    mild = repo.gate(GateName.TEST_GAP)
    repo.write("Home.swift", "struct HomeView: View {\n    var body: some View { Text(1) }\n}\n")

    assert (mild.ok, only(mild).severity) == (True, "suggestion")
    assert repo.gate(GateName.TEST_GAP).ok is False


def test_the_settings_of_the_base_say_what_is_protected(repo: Repo) -> None:
    """Whoever is judged must not take a path off the list in the same change."""
    repo.commit(signoff_dot_toml='[checks]\nprotected = ["a.py"]\n')
    repo.write("signoff.toml", "[checks]\nunprotected = ['signoff.toml']\n")
    repo.write("a.py", "x = 2\n")

    result = repo.gate(GateName.PROTECTED_PATHS)

    assert [finding.path for finding in result.findings] == ["a.py", "signoff.toml"]


def test_settings_that_cannot_be_read_leave_the_gate_unjudged(repo: Repo) -> None:
    repo.commit(signoff_dot_toml="[checks\n")

    result = repo.gate(GateName.PROTECTED_PATHS)

    assert result.ok is None
    assert "settings of the base" in result.unjudged


def test_a_protected_file_that_changes_once_more_has_another_fingerprint(repo: Repo) -> None:
    """To accept one change of the protected is not to accept the next."""
    repo.write("conftest.py", "x = 1\n")
    first = only(repo.gate(GateName.PROTECTED_PATHS)).fingerprint
    repo.write("conftest.py", "x = 2\n")

    assert only(repo.gate(GateName.PROTECTED_PATHS)).fingerprint != first


def test_the_riskiest_file_comes_first_and_nothing_fails(repo: Repo) -> None:
    repo.write("zz/auth.py", "def login():\n    return 1\n")
    repo.write("notes.txt", "hello\n")

    result = repo.gate(GateName.RISK)

    assert result.ok is True
    assert [finding.path for finding in result.findings] == ["zz/auth.py", "notes.txt"]


def test_a_file_that_cannot_be_taken_leaves_the_gates_unjudged(repo: Repo) -> None:
    os.mkfifo(repo.root / "pipe")

    report = repo.judge()

    assert report.ok is None
    assert {gate.name for gate in report.gates if gate.ok is None} == {*QUICK} - {GateName.RISK}


@pytest.mark.parametrize(
    ("branch", "said"), [("main", "where the work left main"), ("trunk", "the last commit")]
)
def test_without_a_base_the_main_line_is_looked_for(repo: Repo, branch: str, said: str) -> None:
    repo.git("branch", "-m", branch)
    repo.git("checkout", "-qb", "feature")
    repo.commit(b_dot_py=f"t = '{TOKEN}'\n")

    report = repo.judge(GateName.SECRETS, base=None)

    assert report.base_name.startswith(said)
    assert report.ok is (branch != "main")


def test_judging_leaves_no_trace(repo: Repo) -> None:
    before = sorted(str(path) for path in repo.root.rglob("*"))
    repo.judge()

    assert sorted(str(path) for path in repo.root.rglob("*")) == before


# --- red-green, with a runner that says what it is told ---


class Told:
    """A check runner whose reports are given."""

    def __init__(self, **reports: dict[str, CaseOutcome] | None) -> None:
        self.reports = reports
        self.selected: dict[str, tuple[str, ...]] = {}

    def run(self, order: CheckOrder) -> CheckSeen | None:
        name = {Place.FINAL: "final", Place.BASE: "base", Place.BASE_WITH_TESTS: "laid"}[order.place]
        self.selected[name] = order.check.select  # type: ignore[union-attr]
        cases = self.reports[name]
        seen = Observation(
            clause=order.clause, place=order.place, tree=order.tree, result=Result.PASS, detail="said"
        )
        receipt = Receipt(key=EffectKey(order.key), observation=seen, contract=None)
        listed = None if cases is None else tuple(ReportedTest(id=i, outcome=o) for i, o in cases.items())
        return CheckSeen(receipt, None if listed is None else TestReport(cases=listed))


P, F, E, S = CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.ERROR, CaseOutcome.SKIPPED
OLD, NEW = "tests.test_a::test_a", "tests.test_a::test_new"
TWO_TESTS = "def test_a():\n    assert 1\n\n\ndef test_new():\n    assert 2\n"


def kinds(repo: Repo, told: Told) -> list[tuple[str, str]]:
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        shown = show_red_green(trees, GateRunner(told, None))  # type: ignore[arg-type]
    assert len(shown.receipts) == len(told.selected)
    return [(finding.kind, finding.symbol) for finding in shown.findings] + [
        ("unjudged", "") for _ in [shown.unjudged] if shown.unjudged
    ]


def test_a_new_test_that_was_red_and_is_green_shows_the_change(repo: Repo) -> None:
    repo.write("tests/test_a.py", TWO_TESTS)
    told = Told(base={OLD: P}, laid={OLD: P, NEW: F}, final={OLD: P, NEW: P})

    assert kinds(repo, told) == []
    assert told.selected == dict.fromkeys(("final", "laid", "base"), ("tests/test_a.py",))


@pytest.mark.parametrize(
    ("laid", "final", "kind"),
    [
        ({NEW: P}, {NEW: P}, "new-test-vacuous"),
        ({NEW: S}, {NEW: P}, "new-test-not-red"),
        ({}, {NEW: P}, "new-test-not-run"),
        ({NEW: F}, {NEW: F}, "new-test-not-green"),
        ({NEW: F}, {NEW: S}, "new-test-not-green"),
    ],
)
def test_a_new_test_that_shows_nothing_is_found(
    repo: Repo, laid: dict[str, CaseOutcome], final: dict[str, CaseOutcome], kind: str
) -> None:
    repo.write("tests/test_a.py", TWO_TESTS)

    assert kinds(repo, Told(base={OLD: P}, laid={OLD: P, **laid}, final={OLD: P, **final})) == [(kind, NEW)]


def test_a_file_that_cannot_be_loaded_without_the_change_is_red(repo: Repo) -> None:
    repo.write("tests/test_b.py", "import b\n\n\ndef test_b():\n    assert b.f()\n")
    told = Told(laid={"::tests.test_b": E}, final={"tests.test_b::test_b": P})

    assert kinds(repo, told) == []
    assert "base" not in told.selected


def test_a_file_that_cannot_be_loaded_with_the_change_is_not_green(repo: Repo) -> None:
    repo.write("tests/test_b.py", "def test_b():\n    assert b.f()\n")
    told = Told(laid={"::tests.test_b": E}, final={"::tests.test_b": E})

    assert kinds(repo, told) == [("new-test-not-green", "")]


def test_inherited_tests_are_run_although_none_can_be_read(repo: Repo) -> None:
    repo.write("tests/test_b.py", "from shared import Cases\n\n\nclass TestB(Cases):\n    pass\n")
    name = "tests.test_b.TestB::test_kept"

    assert kinds(repo, Told(laid={name: P}, final={name: P})) == [("new-test-vacuous", name)]


def test_a_test_file_that_was_emptied_has_nothing_to_show(repo: Repo) -> None:
    """What is gone from it is for the gate on test integrity."""
    repo.write("tests/test_a.py", "")

    assert kinds(repo, Told(base={OLD: P}, laid={}, final={})) == []


def test_a_changed_test_must_have_been_red_too(repo: Repo) -> None:
    repo.write("tests/test_a.py", "def test_a():\n    assert 2\n")
    item = "tests/test_a.py::test_a"

    assert kinds(repo, Told(base={OLD: P}, laid={OLD: F}, final={OLD: P})) == []
    assert kinds(repo, Told(base={OLD: P}, laid={OLD: P}, final={OLD: P})) == [("changed-test-vacuous", item)]
    assert kinds(repo, Told(base={OLD: P}, laid={OLD: F}, final={OLD: F})) == [
        ("changed-test-not-green", item)
    ]


def test_one_red_case_is_enough_for_a_changed_test_with_several(repo: Repo) -> None:
    repo.write("tests/test_a.py", "def test_a():\n    assert 2\n")
    laid, final = {f"{OLD}[1]": P, f"{OLD}[2]": F}, {f"{OLD}[1]": P, f"{OLD}[2]": P}

    assert kinds(repo, Told(base=final, laid=laid, final=final)) == []


def test_a_run_without_a_report_cannot_be_judged(repo: Repo) -> None:
    repo.write("tests/test_a.py", TWO_TESTS)

    assert kinds(repo, Told(base={OLD: P}, laid=None, final={OLD: P, NEW: P})) == [("unjudged", "")]


@pytest.mark.parametrize(
    "other", ["web/cart.test.js", "web/cart.spec.ts", "pkg/cart_test.go", "src/test/java/CartTest.java"]
)
def test_changed_tests_that_the_command_does_not_run_are_named_and_no_pass(repo: Repo, other: str) -> None:
    """pytest says nothing about tests of other languages: with theirs unseen, the change is not shown."""
    repo.write("tests/test_a.py", TWO_TESTS)
    repo.write(other, "it('adds', () => { expect(f(1)).toBe(2); });\n")
    told = Told(base={OLD: P}, laid={OLD: P, NEW: F}, final={OLD: P, NEW: P})
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        shown = show_red_green(trees, GateRunner(told, None))  # type: ignore[arg-type]

    assert shown.unjudged.startswith(f"not run: {other}: ")
    assert (shown.findings, shown.new) == ([], 1)
    assert told.selected["final"] == ("tests/test_a.py",)


def test_only_tests_of_another_language_are_not_run_at_all(repo: Repo) -> None:
    """Nothing is left for the command to run, and running everything would show nothing about them."""
    repo.write("web/cart.test.js", "it('adds', () => { expect(f(1)).toBe(2); });\n")
    repo.write("web/more.test.js", "it('adds', () => { expect(f(1)).toBe(2); });\n")
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        shown = show_red_green(trees, GateRunner(Told(), None))  # type: ignore[arg-type]

    assert shown.unjudged.startswith("not run: web/cart.test.js and 1 more: ")
    assert (shown.findings, shown.receipts) == ([], ())


def test_a_change_without_tests_runs_nothing_and_says_so(repo: Repo) -> None:
    repo.write("a.py", "x = 2\n")
    repo.write("tests/data.json", "{}\n")
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        shown = show_red_green(trees, GateRunner(Told(), None))  # type: ignore[arg-type]

    assert (shown.findings, shown.receipts, shown.unjudged) == ([], (), "")
    assert "nothing to show" in shown.notes[0]


def test_two_folders_are_compared_without_git(tmp_path: Path) -> None:
    for name in ("before", "after"):
        (tmp_path / name / "tests").mkdir(parents=True)
        (tmp_path / name / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "after/tests/test_a.py").write_text(TWO_TESTS)
    told = Told(laid={OLD: F, NEW: P}, final={OLD: P, NEW: P})
    with change_between(TOOL, str(tmp_path / "before"), str(tmp_path / "after")) as trees:
        shown = show_red_green(trees, GateRunner(told, None))  # type: ignore[arg-type]

    assert [(finding.kind, finding.path, finding.line) for finding in shown.findings] == [
        ("new-test-vacuous", "tests/test_a.py", 5)
    ]


class Observed:
    """Runs nothing; says what each place would show."""

    def __init__(self, **results: Result) -> None:
        self._results = results

    def run(self, order: CheckOrder) -> CheckSeen:
        observation = Observation(
            clause=order.clause,
            place=order.place,
            tree=order.tree,
            result=self._results[order.place],
            detail="it says so",
        )
        return CheckSeen(Receipt(key=order.key, observation=observation, contract=None))


@pytest.mark.parametrize(
    ("settings", "base", "ok"),
    [
        ("", Result.FAIL, True),
        ("", Result.PARTIAL, True),
        ("", Result.PASS, False),
        ("[checks]\ntypecheck = ['t']\n", Result.FAIL, False),
    ],
)
def test_a_check_that_was_only_found_counts_where_the_base_bears_it_out(
    repo: Repo, settings: str, base: Result, ok: bool
) -> None:
    """The gate on a laptop and the delivery would say different things about one change."""
    repo.commit(mypy_dot_ini="[mypy]\n", signoff_dot_toml=settings)
    repo.write("a.py", "x = 2\n")
    told = Observed(final=Result.FAIL, base=base)
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        runner = GateRunner(told, None)  # type: ignore[arg-type]
        (gate,) = run_gates(trees, GateRequest((GateName.TYPECHECK,)), lambda: runner).gates

    assert gate.ok is ok
    assert any("left out" in note for note in gate.notes) is ok


def test_every_further_check_is_told_by_its_name(repo: Repo) -> None:
    extra = "[[checks.extra]]\nname = '{}'\ncommand = ['x']\n"
    repo.commit(signoff_dot_toml=extra.format("api") + extra.format("docs") + "required = false\n")
    told = Observed(final=Result.FAIL)
    with change_here(TOOL, str(repo.root), "HEAD") as trees:
        runner = GateRunner(told, None)  # type: ignore[arg-type]
        (gate,) = run_gates(trees, GateRequest((GateName.EXTRA,)), lambda: runner).gates

    assert only(gate).message == "gate/api: it says so"
    assert gate.notes == ("gate/docs is not required: it says so",)
