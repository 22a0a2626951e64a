"""The delivery report in its formats, and what `--verify` notices."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from clibench import Bench


@pytest.fixture
def copy(delivered: Bench, tmp_path: Path) -> Bench:
    """A copy of the delivered repository that a test may tamper with."""
    shutil.copytree(delivered.root, tmp_path / "repo", symlinks=True)
    return Bench(tmp_path / "repo", delivered.home)


def run_of(bench: Bench) -> Path:
    (run,) = (bench.root / ".signoff" / "runs").glob("0*")
    return run


def test_the_report_is_rebuilt_from_the_journal(copy: Bench) -> None:
    written = (run_of(copy) / "report.md").read_text()
    (run_of(copy) / "report.md").unlink()

    assert copy("report", "latest").out == written


def test_the_json_report_has_verdict_contract_and_clauses(delivered: Bench) -> None:
    said = delivered("report", "latest", "--json").document

    assert said["verdict"]["outcome"] == "signed-off"
    assert said["contract"]["goal"]
    assert {clause["id"] for clause in said["clauses"]} >= {"gate/scope", "T1/file", "greets"}
    assert delivered("report", "latest", "--format", "json").document == said


def test_sarif_and_junit_come_as_files_and_inside_json(delivered: Bench) -> None:
    sarif = delivered("report", "latest", "--format", "sarif").document
    junit = ElementTree.fromstring(delivered("report", "latest", "--format", "junit").out)
    wrapped = delivered("report", "latest", "--format", "junit", "--json").document

    (note,) = sarif["runs"][0]["results"]
    assert (sarif["version"], note["ruleId"], note["level"]) == ("2.1.0", "out-of-scope-1", "note")
    assert (junit.tag, junit.get("failures"), junit.get("errors")) == ("testsuites", "0", "0")
    assert len(junit.findall("testsuite/testcase")) == int(junit.get("tests", ""))
    assert wrapped["report"].startswith("<?xml")


def test_a_sign_off_verifies_offline_and_its_checks_run_again(delivered: Bench) -> None:
    said = delivered("report", "latest", "--verify", "--rerun", "--json")

    assert said.code == 0
    assert said.document["ok"] is True
    assert said.document["violations"] == []


def test_a_changed_certificate_is_noticed(copy: Bench) -> None:
    path = run_of(copy) / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["predicate"]["approver"] = "person"
    path.write_text(json.dumps(certificate))

    said = copy("report", "latest", "--verify", "--json")

    assert said.code == 1
    assert [v["path"] for v in said.document["violations"]] == ["/predicate/approver"]


def test_a_changed_receipt_contract_journal_or_ref_is_noticed(copy: Bench) -> None:
    run = run_of(copy)
    receipt = next((run / "receipts").glob("verify*T1*"))

    def codes() -> set[str]:
        return {v["code"] for v in copy("report", "latest", "--verify", "--json").document["violations"]}

    for path, code in ((receipt, "receipt-changed"), (run / "contract.json", "contract-changed")):
        before = path.read_bytes()
        path.write_bytes(before.replace(b"hello", b"hallo"))
        assert codes() == {code}
        path.write_bytes(before)
    journal = run / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert "run-end-missing" in codes()
    journal.write_bytes(whole)
    (run / "state.json").write_text("{}")
    assert codes() == {"anchor-unreadable"}
    copy.git("update-ref", "-d", f"refs/signoff/{run.name}/final")
    (run / "state.json").unlink()
    assert codes() == {"tree-missing"}


def test_a_run_that_is_not_signed_off_does_not_verify(bench: Bench) -> None:
    bench.start()

    said = bench("report", "latest", "--verify", "--json")

    assert said.code == 1
    assert said.document["violations"][0]["code"] == "not-signed-off"
    assert "none yet" in bench("report", "latest").out
