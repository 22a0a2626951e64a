"""`signoff spec` as a person and a script use it."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench

FEATURE = {
    "featureId": "feat-1",
    "title": "Sign in",
    "description": "Customers sign in with their address",
    "priority": "must-have",
    "acceptanceCriteria": ["POST /signin gives 200", "A wrong password gives 401"],
    "dependencies": [],
}


def spec(**changes: object) -> dict[str, Any]:
    return {
        "specId": "spec-1",
        "version": 1,
        "title": "Sign in",
        "description": "Customers can sign in",
        "status": "needs-clarification",
        "mode": "brownfield",
        "ambiguityScore": 8,
        "clarificationQuestions": [
            {
                "questionId": "Q1",
                "category": "scope",
                "question": "Who may sign in?",
                "options": [
                    {"label": "A", "description": "customers"},
                    {"label": "B", "description": "everybody"},
                ],
                "ambiguityWeight": 3,
            },
            {"questionId": "Q2", "category": "error-handling", "question": "What about a wrong password?"},
        ],
        "resolvedClarifications": [],
        "features": [],
        "team": {"some_key": "kept", "otherKey": [1]},
        "createdAt": "2026-01-01T09:00:00Z",
        "updatedAt": "2026-01-01T09:00:00Z",
        **changes,
    }


def keep(bench: Bench, **changes: object) -> Path:
    return keep_in(bench, ".bober", **changes)


def keep_in(bench: Bench, home: str, /, **changes: object) -> Path:
    path = bench.root / home / "specs" / "spec-1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(spec(**changes)))
    return path


def test_a_spec_with_open_questions_is_valid_and_not_ready(bench: Bench) -> None:
    said = bench("spec", "check", keep(bench), "--json")

    assert said.code == 0
    assert (said.document["ok"], said.document["ready"]) == (True, False)
    assert said.document["open_questions"] == ["Q1", "Q2"]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "ready", "features": [FEATURE]},
        {"status": "draft", "ambiguityScore": 9, "features": [FEATURE], "clarificationQuestions": []},
        {"clarificationQuestions": []},
        {"status": "ready", "clarificationQuestions": [], "ambiguityScore": 1},
        {
            "resolvedClarifications": [
                {"questionId": "Q9", "answer": "x", "resolvedAt": "2026-01-01T09:00:00Z"}
            ]
        },
        {"createdAt": "2026-01-01"},
    ],
)
def test_a_spec_that_contradicts_itself_is_invalid(bench: Bench, changes: dict[str, object]) -> None:
    said = bench("spec", "check", keep(bench, **changes), "--json")

    assert (said.code, said.document["ok"], said.document["ready"]) == (1, False, False)


def test_the_last_answer_makes_a_spec_with_features_ready(bench: Bench) -> None:
    path = keep(bench, features=[FEATURE])

    first = bench("spec", "answer", "spec-1", "Q1", "Only customers", "--json").document
    last = bench("spec", "answer", "spec-1", "Q2", "It gives a 401", "--json").document

    assert (first["remaining"], first["status"]) == (["Q2"], "needs-clarification")
    assert (last["remaining"], last["status"], last["replan_due"]) == ([], "ready", False)
    assert bench("spec", "check", path, "--json").document["ready"] is True


def test_without_features_it_is_due_for_a_replan_that_must_cite_the_answers(bench: Bench) -> None:
    path = keep(bench)
    answers = bench.root / "answers.json"
    answers.write_text(json.dumps({"Q1": "Only customers", "Q2": "It gives a 401"}))

    said = bench("spec", "answer", "spec-1", "--file", answers, "--json").document
    old = bench.root / "old.json"
    old.write_text(path.read_text())
    planned = {**json.loads(path.read_text()), "features": [FEATURE], "status": "draft", "ambiguityScore": 2}

    assert (said["status"], said["replan_due"]) == ("needs-clarification", True)
    path.write_text(json.dumps({**planned, "assumptions": ["Q1: customers only"]}))
    silent = bench("spec", "check", path, "--replan-of", old, "--json")
    assert silent.code == 1
    assert "Q2" in " ".join(v["message"] for v in silent.document["violations"])
    path.write_text(
        json.dumps({**planned, "assumptions": ["Q1: customers only", "A 401, as answered in Q2"]})
    )
    assert bench("spec", "check", path, "--replan-of", old).code == 0


def test_an_answer_changes_what_it_must_and_nothing_else(bench: Bench) -> None:
    path = keep(bench)
    before = json.loads(path.read_text())

    bench("spec", "answer", "spec-1", "Q1", "Only customers")
    after = json.loads(path.read_text())

    changed = {"resolvedClarifications", "updatedAt", "ambiguityScore"}
    assert {key for key in before if before[key] != after[key]} == changed
    assert list(after) == list(before)
    assert after["resolvedClarifications"][0]["resolvedBy"] == "user"


def test_an_answer_is_noted_in_the_history_without_its_words(bench: Bench) -> None:
    keep(bench)
    bench("spec", "answer", "spec-1", "Q1", "a confidential word")

    (line,) = (bench.root / ".bober" / "history.jsonl").read_text().splitlines()
    assert json.loads(line)["event"] == "clarification-resolved"
    assert "confidential" not in line


def test_without_a_terminal_nobody_is_waited_for(bench: Bench) -> None:
    keep(bench)

    said = bench("spec", "answer", "spec-1", "--json")

    assert said.code == 3
    assert "signoff spec answer spec-1 Q1" in said.document["error"]["fix"]


def test_on_a_terminal_the_questions_are_asked_one_by_one(bench: Bench) -> None:
    path = keep_in(bench, ".signoff", features=[FEATURE])

    said = bench.typed("spec", "answer", "spec-1", say=(("Who may", "2"), ("wrong password", "A plain 401")))

    assert said.code == 0
    given = {r["questionId"]: r["answer"] for r in json.loads(path.read_text())["resolvedClarifications"]}
    assert given == {"Q1": "B: everybody", "Q2": "A plain 401"}
    assert "ready" in said.out


def test_an_empty_line_leaves_a_question_open(bench: Bench) -> None:
    path = keep(bench)

    said = bench.typed("spec", "answer", "spec-1", say=(("Who may", ""), ("wrong password", "A plain 401")))

    assert said.code == 0
    assert [r["questionId"] for r in json.loads(path.read_text())["resolvedClarifications"]] == ["Q2"]


def test_answers_given_at_the_same_time_are_all_kept(bench: Bench) -> None:
    questions = [
        {"questionId": f"Q{n}", "category": "scope", "question": f"What about number {n}?"} for n in range(8)
    ]
    path = keep(bench, clarificationQuestions=questions)

    def answer(n: int) -> int:
        words = [sys.executable, "-m", "signoff", "spec", "answer", "spec-1", f"Q{n}", f"answer {n}"]
        return subprocess.run(
            words, cwd=bench.root, env=bench.env, capture_output=True, check=False
        ).returncode

    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(answer, range(8)))

    assert codes == [0] * 8
    assert len(json.loads(path.read_text())["resolvedClarifications"]) == 8


@pytest.mark.parametrize(
    "words",
    [
        ("spec-1", "Q9", "x"),
        ("spec-1", "Q1", "   "),
        ("spec-1", "Q1", "too", "many"),
        ("spec-2", "Q1", "x"),
        ("../spec-1", "Q1", "x"),
        ("spec-1", "Q1", "x", "--by", "planner"),
        ("spec-1", "--file", "nowhere.json"),
        ("spec-1", "Q1", "x", "--replan-of", "y"),
        ("spec-1", "--file", "-", "--by", "planner", "--evidence", "a.py:1"),
        ("spec-1", "--by", "planner"),
    ],
)
def test_an_answer_that_cannot_be_taken_changes_nothing(bench: Bench, words: tuple[str, ...]) -> None:
    path = keep(bench)
    before = path.read_bytes()

    said = bench("spec", "answer", *words, "--json")

    assert said.code == 2
    assert said.document["error"]["what"]
    assert path.read_bytes() == before


def test_a_planner_answers_itself_only_with_evidence(bench: Bench) -> None:
    path = keep(bench)

    said = bench(
        "spec", "answer", "spec-1", "Q1", "Customers", "--by", "planner", "--evidence", "src/auth.ts:12"
    )

    assert said.code == 0
    (given,) = json.loads(path.read_text())["resolvedClarifications"]
    assert (given["resolvedBy"], given["evidence"]) == ("planner", "src/auth.ts:12")


def test_older_specs_are_migrated_once_and_byte_stable(bench: Bench) -> None:
    older = {
        "id": "spec-0",
        "title": "Old",
        "description": "An older shape",
        "projectType": "brownfield",
        "features": [
            {
                "id": "f1",
                "title": "One",
                "description": "The first",
                "priority": "should",
                "acceptanceCriteria": ["It is there"],
                "estimatedSprints": 4,
            }
        ],
        "nonFunctional": ["Answers within 100 ms"],
        "custom": {"a": 1},
        "createdAt": "2026-01-01T09:00:00Z",
        "updatedAt": "2026-01-02T09:00:00Z",
    }
    path, broken = bench.root / "old.json", bench.root / "broken.json"
    path.write_text(json.dumps(older))
    broken.write_text(json.dumps({**older, "projectType": "react-fullstack"}))

    said = bench("spec", "migrate", path, broken, keep(bench), "--json")
    once = path.read_bytes()

    assert said.code == 1
    assert said.document["migrated"] == [str(path)]
    assert said.document["failed"] == [str(broken)]
    assert len(said.document["unchanged"]) == 1
    assert json.loads(once)["updatedAt"] == older["updatedAt"]
    assert json.loads(once)["custom"] == {"a": 1}
    assert bench("spec", "migrate", path, "--json").document["unchanged"] == [str(path)]
    assert path.read_bytes() == once
    assert bench("spec", "check", path).code == 0


def test_a_history_that_cannot_be_written_leaves_the_spec_as_it_was(bench: Bench) -> None:
    path = keep(bench)
    before = path.read_bytes()
    (bench.root / ".bober" / "history.jsonl").mkdir()

    said = bench("spec", "answer", "spec-1", "Q1", "Only customers", "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "file-unwritable")
    assert path.read_bytes() == before


def test_a_command_to_paste_runs_nothing_that_a_spec_put_into_it(bench: Bench) -> None:
    question = {"questionId": "Q1;touch pwned", "category": "scope", "question": "Who may sign in?"}
    keep(bench, clarificationQuestions=[question])

    fix = bench("spec", "answer", "spec-1", "--json").document["error"]["fix"]

    assert "'Q1;touch pwned'" in fix


def test_a_spec_goes_through_our_spelling_and_back_without_loss(bench: Bench) -> None:
    path = keep(bench, features=[FEATURE], techNotes={"dataModel": {"user_id": 1}})
    ours = bench("spec", "show", path).document
    again = bench.root / "ours.json"
    again.write_text(json.dumps(ours))

    assert ours["spec_id"] == "spec-1"
    assert ours["tech_notes"] == {"dataModel": {"user_id": 1}}
    assert bench("spec", "show", again, "--format", "seed").document == json.loads(path.read_text())
