"""`signoff review`, `triage`, `ledger`, `calibrate` and `cite` as scripts use them: exit codes and keys."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench

FINDING = {
    "severity": "blocking",
    "file": "README",
    "line": 1,
    "issue": "It says nothing",
    "reviewer": "fable",
}
RECORD = {
    "schema_version": 1,
    "run_id": "01HXY8N3W2K7Q5MZP9V4F8R6T1",
    "skill_invocation_id": "sk_42",
    "agent_type": "builder",
    "model": "some-model",
    "project": "acme",
    "status": "success",
    "started_at": "2026-04-28T14:32:11Z",
    "finished_at": "2026-04-28T14:34:02Z",
    "duration_ms": 111_000,
}


def keep(bench: Bench, name: str, content: object) -> Path:
    path = bench.root / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def triage(**changes: object) -> dict[str, Any]:
    return {"accepted": [], "deferred": [], "rejected": [], "approved": True, **changes}


# --- review ---


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"approved": False, "findings": [FINDING]}, 0),
        ({"approved": True, "findings": [FINDING]}, 2),
        ({"approved": "yes", "findings": []}, 1),
        ("not json", 1),
        ("", 1),
    ],
)
def test_a_review_is_judged(bench: Bench, document: object, code: int) -> None:
    ran = bench("review", "check", keep(bench, "review.json", document), "--json")
    assert ran.code == code
    assert ran.document["ok"] is (code == 0)
    assert bool(ran.document["violations"]) is (code != 0)


def test_a_review_that_is_not_there_is_no_review(bench: Bench) -> None:
    ran = bench("review", "check", "review.json", "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "file-unreadable")


# --- triage ---


def test_triage_is_valid_corrected_over_rejected_or_invalid(bench: Bench) -> None:
    rejected = [{**FINDING, "issue": f"no {n}", "reason": "noise"} for n in range(5)]
    for document, code in (
        (triage(), 0),
        (triage(accepted=[FINDING], approved=True), 3),
        (triage(approved=False), 3),
        (triage(rejected=rejected), 2),
        (triage(rejected=[FINDING] * 5), 2),
        (triage(accepted=[FINDING], rejected=[FINDING], approved=False), 0),
        (triage(accepted=[{**FINDING, "line": 9}]), 1),
        (triage(accepted=[{**FINDING, "file": "src/none.py"}]), 1),
        ("{", 1),
    ):
        ran = bench("triage", "check", keep(bench, "triage.json", document), "--json")
        assert ran.code == code, ran.out
        said = ran.document
        assert (said["ok"], said["corrected"]) == (code == 0, code == 3)
        if code == 3:
            assert isinstance(document, dict)
            assert said["output"] == {**document, "approved": not document["approved"]}
        if code == 1:
            assert said["output"] is None


def test_a_correction_is_written_only_when_asked_for(bench: Bench) -> None:
    text = '{"extra": 1.10, "accepted": [], "deferred": [], "rejected": [],\n  "approved": false}\n'
    path = keep(bench, "triage.json", text)
    assert bench("triage", "check", path).code == 3
    assert path.read_text() == text
    path.chmod(0o640)
    assert bench("triage", "check", path, "--write").code == 3
    assert path.read_text() == text.replace("false", "true")
    assert path.stat().st_mode & 0o777 == 0o640
    assert bench("triage", "check", path, "--write").code == 0


def test_over_rejection_is_never_written(bench: Bench) -> None:
    rejected = [{**FINDING, "issue": f"no {n}", "reason": "noise"} for n in range(5)]
    path = keep(bench, "triage.json", triage(rejected=rejected, approved=False))
    before = path.read_bytes()
    ran = bench("triage", "check", path, "--write", "--json")
    assert (ran.code, ran.document["outcome"], ran.document["written"]) == (2, "over-rejection", False)
    assert path.read_bytes() == before


def test_cited_files_are_looked_for_below_the_root(bench: Bench, tmp_path: Path) -> None:
    """A link out of the repository cites nothing of it."""
    (tmp_path / "outside.py").write_text("x\n")
    (bench.root / "link.py").symlink_to(tmp_path / "outside.py")
    path = keep(bench, "triage.json", triage(accepted=[{**FINDING, "file": "link.py"}], approved=False))
    assert bench("triage", "check", path).code == 1
    keep(bench, "triage.json", triage(accepted=[FINDING], approved=False))
    assert bench("triage", "check", path).code == 0
    assert bench("triage", "check", path, "-C", tmp_path).code == 1


def test_scope_is_judged_when_the_files_of_the_change_are_given(bench: Bench) -> None:
    path = keep(bench, "triage.json", triage(accepted=[FINDING], approved=False))
    assert bench("triage", "check", path, "--diff-files", "-", stdin=b"README\n").code == 0
    ran = bench("triage", "check", path, "--diff-files", "-", "--json", stdin=b"src/a.py\n")
    assert (ran.code, ran.document["violations"][0]["code"]) == (1, "out-of-scope")


def test_standard_input_cannot_be_written(bench: Bench) -> None:
    ran = bench("triage", "check", "-", "--write", "--json", stdin=b"{}")
    assert (ran.code, ran.document["error"]["slug"]) == (2, "usage")


# --- ledger ---


def test_a_ledger_is_judged_line_by_line(bench: Bench) -> None:
    good = json.dumps(RECORD) + "\n"
    for content, code, records in (
        (good, 0, 1),
        (
            good + json.dumps({**RECORD, "run_id": "01HXY8P5R8K7Q5MZP9V4F8R6T2", "prompt": "Do it"}) + "\n",
            1,
            2,
        ),
        (good + "rubbish\n", 1, 1),
        ("rubbish\n", 2, 0),
        ("", 1, 0),
        ("\n\n", 1, 0),
    ):
        ran = bench("ledger", "check", keep(bench, "agent-runs.jsonl", content), "--json")
        assert (ran.code, ran.document["records"], ran.document["ok"]) == (code, records, code == 0), ran.out
    assert bench("ledger", "check", "none.jsonl").code == 2
    assert bench("ledger", "check", "-", stdin=good.encode()).code == 0


# --- calibrate ---


def test_a_cycle_gets_its_verdict(bench: Bench) -> None:
    cycle: dict[str, Any] = {
        "recall_before": {"a": 0.1},
        "recall_after": {"a": 0.16},
        "council": "ship",
        "iteration": 1,
    }
    ran = bench("calibrate", "verdict", keep(bench, "cycle.json", cycle), "--json")
    assert ran.code == 0
    assert ran.document["delta"] == {"a": 0.06}
    assert (ran.document["verdict"], ran.document["clean"], ran.document["regressions"]) == ("ship", True, [])
    cycle["recall_after"]["a"] = 0.15
    ran = bench("calibrate", "verdict", keep(bench, "cycle.json", cycle), "--json")
    assert (ran.code, ran.document["verdict"]) == (1, "iterate")
    ran = bench("calibrate", "verdict", keep(bench, "cycle.json", {**cycle, "council": "?"}), "--json")
    assert (ran.code, ran.document["verdict"]) == (2, None)
    assert bench("calibrate", "verdict", keep(bench, "cycle.json", "{")).code == 2
    assert bench("calibrate", "verdict", "none.json").code == 2


def test_recall_is_measured_and_null_for_an_empty_baseline(bench: Bench) -> None:
    known = keep(bench, "known.md", "### BUG-001\n- File: a.py:3\n### BUG-002\n- File: b.py\n")
    found = keep(bench, "found.md", "### BUG-001\n- File: a.py:5\n### BUG-002\n- File: c.py\n")
    said = bench("calibrate", "recall", known, found, "--json").document
    assert (said["recall"], said["precision"]) == (0.5, 0.5)
    assert (said["recovered"], said["missed"], said["spurious"]) == (["BUG-001"], ["BUG-002"], ["BUG-002"])
    empty = keep(bench, "empty.md", "# Bugs\n\nNone.\n")
    ran = bench("calibrate", "recall", empty, found, "--json")
    assert (ran.code, ran.document["recall"]) == (0, None)
    assert bench("calibrate", "recall", known, "none.md").code == 2
    assert bench("calibrate", "recall", known).code == 2


# --- cite ---


def test_each_citation_has_its_code(bench: Bench, tmp_path: Path) -> None:
    text = "# Limits\n\n## Retries\nAt most three.\n\n## Twice\n\n## Twice\n"
    keep(bench, "doc.md", text)
    keep(bench, "doc.py", "x\n")
    (bench.root / "bad.txt").write_bytes(b"\xff\n")
    (tmp_path / "outside.md").write_text("x\n")
    (bench.root / "link.md").symlink_to(tmp_path / "outside.md")
    digest = hashlib.sha256(text.encode()).hexdigest()
    for words, code in (
        (("doc.md", "--line", "3", "--sha256", digest, "--excerpt", "## Retries\nAt most three."), "ok"),
        (("doc.md", "--section", "Retries"), "ok"),
        (("doc.md",), "locator_missing"),
        (("doc.md", "--line", "99"), "locator_out_of_range"),
        (("doc.md", "--line", "-1"), "locator_out_of_range"),
        (("doc.md", "--line", "2"), "blank_anchor"),
        (("doc.md", "--section", "None"), "section_not_found"),
        (("doc.md", "--section", "Twice"), "section_ambiguous"),
        (("bad.txt", "--line", "1"), "invalid_utf8"),
        (("doc.py", "--line", "1"), "unsupported_extension"),
        (("doc.md", "--line", "1", "--sha256", "0" * 64), "hash_mismatch"),
        (("none.md", "--line", "1"), "document_not_found"),
        (("../outside.md", "--line", "1"), "document_out_of_root"),
        (("link.md", "--line", "1"), "document_out_of_root"),
        (("doc.md", "--line", "3", "--excerpt", "At most four."), "excerpt_mismatch"),
    ):
        ran = bench("cite", *words, "--json")
        assert ran.document["code"] == code, words
        assert ran.code == (0 if code == "ok" else 1)
        assert isinstance(ran.document["warnings"], list)
    ran = bench("cite", "doc.md", "--line", "4", "--excerpt", "-", stdin=b"At most three.\n")
    assert (ran.code, ran.out) == (0, "At most three.\n")


def test_a_root_that_is_not_there_is_said_to_be_so(bench: Bench) -> None:
    """Otherwise every finding would seem invented."""
    path = keep(bench, "triage.json", triage(accepted=[FINDING], approved=False))
    for words in (("triage", "check", path), ("cite", "README.md", "--line", "1")):
        ran = bench(*words, "-C", "nowhere", "--json")
        assert (ran.code, ran.document["error"]["slug"]) == (2, "root-missing")
