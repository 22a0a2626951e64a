"""`signoff gate` and `signoff tests redgreen` in real repositories."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from clibench import Bench, contract, empty_bench

# Put together here, so that no scanner of repositories takes this file for a leak.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
CALC = "def total(a, b):\n    return a - b\n"
TESTS = "from calc import total\n\n\ndef test_zero():\n    assert total(1, 0) == 1\n"
ADDS = "\n\ndef test_adds():\n    assert total(1, 2) == 3\n"
VACUOUS = "\n\ndef test_nothing():\n    assert total(5, 0) == 5\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = empty_bench(tmp_path)
    made.commit(
        README_dot_md="# x\n",
        calc_dot_py=CALC,
        tests__test_calc_dot_py=TESTS,
        pyproject_dot_toml="[tool.pytest.ini_options]\n",
    )
    made.git("checkout", "-qb", "feature")
    return made


def write(bench: Bench, name: str, text: str) -> None:
    path = bench.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_clean_change_exits_0_and_says_what_it_was_compared_with(bench: Bench) -> None:
    write(bench, "calc.py", CALC.replace("-", "+"))
    bench.git("commit", "-qam", "add")

    said = bench("gate", "--json")

    assert said.code == 0, said.err
    assert said.document["ok"] is True
    assert said.document["base_name"].startswith("where the work left main")
    assert said.document["files"] == 1
    assert said.document["base"] == bench.git("rev-parse", "main")
    assert [gate["name"] for gate in said.document["gates"]] == [
        *("secrets", "test-integrity", "test-gap", "protected-paths", "risk")
    ]


def test_a_bad_change_exits_1_with_findings_by_gate(bench: Bench) -> None:
    write(bench, "s.py", f"t = '{TOKEN}'\n")
    write(bench, "tests/test_calc.py", "from calc import total\n")
    write(bench, ".github/workflows/ci.yml", "on: push\n")

    said = bench("gate", "--base", "main", "--json")

    gates = {gate["name"]: gate for gate in said.document["gates"]}
    assert said.code == 1
    assert said.document["ok"] is False
    assert {name for name, gate in gates.items() if gate["ok"] is False} == {
        *("secrets", "test-integrity", "protected-paths")
    }
    assert gates["secrets"]["findings"][0]["path"] == "s.py"
    assert TOKEN[4:12] not in said.out


def test_what_cannot_start_exits_2(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    slugs = {
        ("-C", str(tmp_path / "plain")): "not-a-repository",
        ("--base", "nowhere"): "unknown-revision",
        ("--only", "nothing"): "usage",
        ("--only", "scope"): "usage",
        ("--only", "risk", "--skip", "risk"): "usage",
        ("--baseline", str(broken)): "baseline-invalid",
        ("--baseline", str(tmp_path / "missing")): "file-unreadable",
        ("--contract", str(tmp_path / "missing")): "file-unreadable",
    }
    for words, slug in slugs.items():
        said = bench("gate", *words, "--json")
        assert (said.code, said.document["error"]["slug"]) == (2, slug)


def test_a_gate_that_could_not_be_judged_exits_5_unless_another_fails(bench: Bench) -> None:
    bench.commit(signoff_dot_toml="[checks\n")
    open_ = bench("gate", "--base", "HEAD", "--json")
    write(bench, "s.py", f"t = '{TOKEN}'\n")

    assert open_.code == 5
    assert open_.document["ok"] is None
    assert bench("gate", "--base", "HEAD").code == 1


def test_only_and_skip_choose_gates(bench: Bench) -> None:
    write(bench, "s.py", f"t = '{TOKEN}'\n")

    only = bench("gate", "--only", "risk", "--only", "test-gap", "--json")

    assert [gate["name"] for gate in only.document["gates"]] == ["test-gap", "risk"]
    assert bench("gate", "--skip", "secrets").code == 0


def test_with_a_baseline_only_new_findings_fail(bench: Bench, tmp_path: Path) -> None:
    known = bench.root / ".signoff-baseline.json"
    write(bench, "s.py", f"t = '{TOKEN}'\n")
    written = bench("gate", "--write-baseline", known)
    assert written.code == 0, written.out
    assert TOKEN[4:12] not in known.read_text()

    write(bench, "s.py", "\n" * 10 + f"t = '{TOKEN}'\n")
    moved = bench("gate", "--baseline", known, "--json")
    assert moved.code == 0, moved.out
    finding = moved.document["gates"][0]["findings"][0]
    assert (finding["line"], finding["known"]) == (11, True)

    write(bench, "other.py", f"t = '{TOKEN}'\n")
    new = bench("gate", "--baseline", known, "--json")
    assert new.code == 1
    assert [(f["path"], f["known"]) for f in new.document["gates"][0]["findings"]] == [
        ("other.py", False),
        ("s.py", True),
    ]


def test_a_contract_adds_its_scope_and_its_non_goals(bench: Bench, tmp_path: Path) -> None:
    file = bench.root / "contract.json"
    file.write_text(json.dumps(contract()))
    write(bench, "hello.txt", "hello\n")
    kept = bench("gate", "--contract", file, "--json")
    write(bench, "calc.py", CALC + "\n")
    write(bench, "README.md", "# y\n")

    said = bench("gate", "--contract", file, "--json")

    assert kept.code == 0, kept.out
    gates = {gate["name"]: gate for gate in said.document["gates"]}
    assert said.code == 1
    assert [finding["path"] for finding in gates["scope"]["findings"]] == ["README.md", "calc.py"]
    assert [finding["symbol"] for finding in gates["non-goals"]["findings"]] == ["readme"]


def test_the_formats_are_what_they_say(bench: Bench) -> None:
    write(bench, "s.py", f"t = '{TOKEN}'\n")

    sarif = bench("gate", "--format", "sarif")
    junit = bench("gate", "--format", "junit")
    github = bench("gate", "--format", "github")

    assert {sarif.code, junit.code, github.code, bench("gate", "--format", "json").code} == {1}
    assert sarif.document["version"] == "2.1.0"
    assert sarif.document["runs"][0]["results"][0]["ruleId"] == "secrets/github-token"
    assert ElementTree.fromstring(junit.out).get("failures") == "1"
    assert github.out.startswith("::error file=s.py,line=1,")
    assert bench("gate", "--json", "--format", "junit").code == 2


def test_nothing_of_the_repository_changes(bench: Bench) -> None:
    write(bench, "calc.py", CALC.replace("-", "+"))
    before = (bench.git("status", "--porcelain"), bench.git("for-each-ref"))

    bench("gate", "--tests")

    assert (bench.git("status", "--porcelain"), bench.git("for-each-ref")) == before


def test_with_tests_the_projects_own_commands_run(bench: Bench) -> None:
    write(bench, "calc.py", CALC.replace("-", "*"))
    write(bench, "tests/test_calc.py", TESTS + ADDS)

    said = bench("gate", "--tests", "--json")

    gates = {gate["name"]: gate for gate in said.document["gates"]}
    assert said.code == 1
    assert gates["tests"]["ok"] is False
    assert gates["tests"]["receipts"][0]["observation"]["exit_code"] == 1
    assert {finding["kind"] for finding in gates["red-green"]["findings"]} == {"new-test-not-green"}


# --- redgreen ---


def test_new_tests_that_were_red_exit_0_with_a_receipt_of_each_run(bench: Bench) -> None:
    write(bench, "calc.py", CALC.replace("-", "+"))
    write(bench, "tests/test_calc.py", TESTS + ADDS)

    said = bench("tests", "redgreen", "--base", "main", "--json")

    assert said.code == 0, said.out + said.err
    assert (said.document["findings"], said.document["new"]) == ([], 1)
    places = {r["observation"]["place"]: r["observation"]["counts"] for r in said.document["receipts"]}
    assert set(places) == {"final", "base+tests", "base"}
    assert places["base+tests"] == {"collected": 2, "passed": 1, "failed": 1}


def test_a_vacuous_new_test_exits_1_with_its_place(bench: Bench) -> None:
    write(bench, "calc.py", CALC.replace("-", "+"))
    write(bench, "tests/test_calc.py", TESTS + VACUOUS)

    said = bench("tests", "redgreen", "--json")

    assert said.code == 1
    (finding,) = said.document["findings"]
    assert set(finding) == {"path", "line", "kind", "symbol", "severity", "message"}
    assert (finding["path"], finding["line"], finding["kind"]) == (
        "tests/test_calc.py",
        8,
        "new-test-vacuous",
    )
    assert bench("tests", "redgreen", "--permit", "tests/test_calc.py::test_nothing").code == 0


def test_two_folders_can_be_compared_without_git(bench: Bench, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        (folder / "tests").mkdir(parents=True)
        (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
        (folder / "calc.py").write_text(CALC if folder is before else CALC.replace("-", "+"))
    (after / "tests/test_calc.py").write_text(TESTS.replace("total(1, 0)", "total(0, 1)"))

    good = bench("tests", "redgreen", "--before", before, "--after", after, "--json")
    (after / "tests/test_calc.py").write_text(TESTS)
    bad = bench("tests", "redgreen", "--before", before, "--after", after, "--json")

    assert (good.code, good.document["findings"]) == (0, [])
    assert (bad.code, bad.document["findings"][0]["kind"]) == (1, "new-test-vacuous")


def test_a_project_without_a_test_command_cannot_be_judged(tmp_path: Path) -> None:
    bench = empty_bench(tmp_path)
    bench.commit(README="x\n")
    write(bench, "test/a.test.js", "x\n")

    said = bench("tests", "redgreen", "--json")

    assert (said.code, said.document["ok"]) == (5, None)


def test_a_diff_cannot_be_run(bench: Bench) -> None:
    said = bench("tests", "redgreen", "-", "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "usage")


def test_changed_tests_that_cannot_be_picked_out_are_not_judged(tmp_path: Path) -> None:
    """Nothing ran, so nothing is green."""
    bench = empty_bench(tmp_path, "go")
    bench.commit(a_dot_go="package a\n")
    (bench.root / "a_test.go").write_text("package a\n")

    assert bench("tests", "redgreen", "--base", "HEAD").code == 5
