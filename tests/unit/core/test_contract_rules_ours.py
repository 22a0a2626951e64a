"""The rules of a contract that are ours: paths, patterns, ids, proofs and what holds trivially."""

import msgspec
import pytest
from contract_bench import GREP, RUN, contract, found, task, with_check


def test_a_behaviour_without_evidence_would_hold_trivially() -> None:
    subject = with_check(type="behavioral", description="d", evidence_required=[])

    assert found(subject) == [("no-evidence", None, "/tasks/0/verification/0/evidence_required")]


def test_a_contract_without_tasks_would_hold_trivially() -> None:
    assert found(msgspec.structs.replace(contract(), tasks=())) == [("no-tasks", None, "/tasks")]


def test_phases_waves_and_time_limits_are_positive() -> None:
    subject = contract(task(1, wave=0, verification=[{**RUN, "timeout_ms": 0}]), phase=0)

    assert found(subject) == [
        ("not-positive", None, "/phase"),
        ("not-positive", None, "/tasks/0/wave"),
        ("not-positive", None, "/tasks/0/verification/0/timeout_ms"),
    ]


@pytest.mark.parametrize("other", ["src/a.py", "./src//a.py", "SRC/A.py", "src", "SRC/"])
def test_two_tasks_of_a_wave_may_not_write_one_file(other: str) -> None:
    subject = contract(
        task(1, files_modify=["src/a.py"]), task(2, wave=1, files_modify=[], files_create=[other])
    )

    [(code, rule, path)] = found(subject)

    assert (code, rule) == ("write-conflict", None)
    assert path in ("/tasks/0/files_modify/0", "/tasks/1/files_create/0")


def test_composed_and_decomposed_names_are_one_file() -> None:
    subject = contract(
        task(1, files_modify=["\N{LATIN SMALL LETTER U WITH DIAERESIS}.py"]),
        task(2, wave=1, files_delete=["u\N{COMBINING DIAERESIS}.py"]),
    )

    assert found(subject) == [("write-conflict", None, "/tasks/1/files_delete/0")]


def test_a_file_may_be_written_in_two_waves_and_beside_a_namesake() -> None:
    same = ["src/a.py"]

    assert found(contract(task(1, files_modify=same), task(2, files_modify=same))) == []
    assert found(contract(task(1, files_modify=["src/a"]), task(2, wave=1, files_modify=["src/ab"]))) == []


def test_a_file_may_be_renamed_by_case_alone() -> None:
    assert (
        found(contract(task(1, files_modify=[], files_delete=["Readme.md"], files_create=["README.md"])))
        == []
    )


@pytest.mark.parametrize("path", ["**", "*", "**/*", "./**/*.*", "?"])
def test_a_task_may_not_declare_every_file(path: str) -> None:
    assert found(contract(task(1, files_modify=[path]))) == [
        ("scope-too-wide", None, "/tasks/0/files_modify/0")
    ]


OUTSIDE = [
    "",
    " ",
    "/etc/passwd",
    "..",
    "../a",
    "a/../../b",
    "a\\b",
    "C:/a",
    "c:a",
    ".git/config",
    "a/.GIT/b",
]
OUTSIDE += [
    ".signoff/runs",
    ".git",
    ".git./x",
    ".g\N{ZERO WIDTH NON-JOINER}it/x",
    "a\nb",
    "a\0",
    "a/" * 3_000,
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("field", ["files_modify", "files_create", "files_delete", "context_files"])
def test_no_list_of_a_task_leads_outside(field: str, path: str) -> None:
    assert found(contract(task(1, **{"files_modify": [], field: ["ok", path]}))) == [
        ("path-escape", None, f"/tasks/0/{field}/1")
    ]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_check_and_no_non_goal_leads_outside(path: str) -> None:
    checks = [
        {"type": "file-exists", "path": path},
        {**GREP, "path": path},
        {**RUN, "cwd": path},
        {"type": "tests", "select": [f"{path}::test_a"]},
    ]
    goal = {"id": "N1", "description": "d", "untouched": [path]}

    assert sorted(
        place for _, _, place in found(contract(task(1, verification=checks), non_goals=[goal]))
    ) == [
        "/non_goals/0/untouched/0",
        "/tasks/0/verification/0/path",
        "/tasks/0/verification/1/path",
        "/tasks/0/verification/2/cwd",
        "/tasks/0/verification/3/select/0",
    ]


@pytest.mark.parametrize(
    "path", ["a.py", ".github/x.yml", ".gitignore", "a/..b", "...", "src/[id]/a.ts", "ä/日本.py"]
)
def test_an_unusual_path_inside_is_let_alone(path: str) -> None:
    assert found(contract(task(1, context_files=[path]))) == []


def test_the_root_is_a_folder_to_run_in_and_no_file() -> None:
    assert found(with_check(**{**RUN, "cwd": "."})) == []
    assert found(contract(task(1, context_files=["."]))) == [
        ("path-escape", None, "/tasks/0/context_files/0")
    ]


def test_a_test_id_may_hold_anything_behind_its_path() -> None:
    assert found(with_check(type="tests", select=["tests/test_a.py::test_b[../\\x]"])) == []


def test_a_selection_may_not_be_an_option_of_the_runner() -> None:
    assert found(with_check(type="tests", select=["--collect-only"])) == [
        ("path-escape", None, "/tasks/0/verification/0/select/0")
    ]


@pytest.mark.parametrize(
    "pattern", ["(", "[", "*a", "(?<name>x)", "a{99999999999}", "(" * 5_000, "x" * 10_001]
)
def test_a_pattern_must_be_a_python_regex(pattern: str) -> None:
    checks = [{**GREP, "pattern": pattern}, {**RUN, "expect_stdout_match": pattern}]

    assert found(contract(task(1, verification=checks))) == [
        ("bad-regex", None, "/tasks/0/verification/0/pattern"),
        ("bad-regex", None, "/tasks/0/verification/1/expect_stdout_match"),
    ]


@pytest.mark.parametrize("pattern", ["", "def main", "^a.*b$", "[[]", r"\bcafé\b", "(?P<n>x)(?P=n)"])
def test_a_python_regex_is_taken_without_a_warning(pattern: str) -> None:
    assert found(with_check(**{**GREP, "pattern": pattern})) == []


def test_an_id_names_one_clause_only() -> None:
    subject = contract(
        task(1, verification=[{**GREP, "id": "A"}, {**GREP, "id": "A"}, GREP]),
        success_criteria=[{"id": "B", "description": "d"}, {"id": "T1/check-3", "description": "d"}],
        non_goals=[{"id": "B", "description": "d"}],
        stop_conditions=[{"id": "A", "description": "d"}, {"id": "stop-3", "description": "d"}, "plain"],
    )

    assert found(subject) == [
        ("duplicate-clause-id", None, "/tasks/0/verification/1/id"),
        ("duplicate-clause-id", None, "/success_criteria/1/id"),
        ("duplicate-clause-id", None, "/non_goals/0/id"),
        ("duplicate-clause-id", None, "/stop_conditions/0/id"),
        ("duplicate-clause-id", None, "/stop_conditions/2"),
    ]


@pytest.mark.parametrize(
    "name", ["gate/tests", "gate/anything", "../x", "a/../b", "a//b", "/a", "a/", "a b", "\n", "x" * 101]
)
def test_an_id_cannot_be_a_gates_or_break_out_of_a_file_name(name: str) -> None:
    assert found(with_check(**{**GREP, "id": name})) == [
        ("bad-clause-id", None, "/tasks/0/verification/0/id")
    ]


def test_an_empty_id_is_none() -> None:
    subject = contract(non_goals=[{"id": "", "description": "d"}])

    assert found(subject) == [("bad-clause-id", None, "/non_goals/0/id")]


def test_what_proves_must_exist() -> None:
    subject = contract(
        success_criteria=[
            {"id": "C1", "description": "d", "proven_by": ["T1/check-1", "gate/tests", "T1/check-2"]}
        ],
        stop_conditions=[{"id": "S1", "description": "d", "proven_by": ["C1", "gate/nothing"]}],
    )

    assert found(subject) == [
        ("unknown-proof", None, "/success_criteria/0/proven_by/2"),
        ("unknown-proof", None, "/stop_conditions/0/proven_by/1"),
    ]


def test_nothing_proves_itself() -> None:
    subject = contract(
        success_criteria=[
            {"id": "C1", "description": "d", "proven_by": ["C1"]},
            {"id": "C2", "description": "d", "proven_by": ["T1/check-1", "S1"]},
        ],
        stop_conditions=[{"id": "S1", "description": "d", "proven_by": ["C2"]}],
    )

    assert found(subject) == [
        ("circular-proof", None, "/success_criteria/0/proven_by/0"),
        ("circular-proof", None, "/stop_conditions/0/proven_by/0"),
    ]


@pytest.mark.parametrize(
    ("score", "is_refused"), [(None, False), (0, False), (6, False), (7, True), (10, True)]
)
def test_an_ambiguity_of_seven_is_too_much(score: int | None, is_refused: bool) -> None:
    expected = [("too-ambiguous", None, "/ambiguity_score")] if is_refused else []

    assert found(contract(ambiguity_score=score)) == expected
