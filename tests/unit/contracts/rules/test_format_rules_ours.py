"""The rules of a contract that are ours: paths, patterns, ids, proofs and what holds trivially."""

import re

import msgspec
import pytest
from contract_bench import GREP, RUN, TOLD, contract, found, task, warned, with_check
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.contracts.rules.vacuous_checks import matches_every_text, matches_no_line


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

    [path] = [path for code, _, path in found(subject) if code == "write-conflict"]

    assert path in ("/tasks/0/files_modify/0", "/tasks/1/files_create/0")


def test_composed_and_decomposed_names_are_one_file() -> None:
    subject = contract(
        task(1, files_modify=["\N{LATIN SMALL LETTER U WITH DIAERESIS}.py"]),
        task(2, wave=1, files_delete=["u\N{COMBINING DIAERESIS}.py"]),
    )

    assert found(subject) == [("write-conflict", None, "/tasks/1/files_delete/0")]


@pytest.mark.parametrize(
    ("one", "other"), [("src/a.py", "src/A.py"), ("./Src/a.py", "src//a.py"), ("straße.md", "STRASSE.md")]
)
def test_a_file_is_spelt_in_one_way_from_wave_to_wave(one: str, other: str) -> None:
    """On macOS these are one file: what the second task creates would be what the first has written."""
    apart = contract(task(1, files_modify=[one]), task(2, files_modify=[], files_create=[other]))
    together = contract(task(1, files_modify=[one], files_create=[other]))

    assert found(apart) == [("case-clash", None, "/tasks/1/files_create/0")]
    assert found(together) == [("case-clash", None, "/tasks/0/files_create/0")]


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
    goal = {
        "id": "N1",
        "description": TOLD,
        "untouched": [path],
        "exports": [path],
        "forbidden": [{"pattern": "eval", "paths": [path]}],
    }
    subject = contract(task(1, verification=checks), non_goals=[goal])

    assert sorted(place for code, _, place in found(subject) if code == "path-escape") == [
        "/non_goals/0/exports/0",
        "/non_goals/0/forbidden/0/paths/0",
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
    goal = {"id": "N1", "description": TOLD, "forbidden": [{"pattern": pattern}]}

    assert found(contract(task(1, verification=checks), non_goals=[goal])) == [
        ("bad-regex", None, "/tasks/0/verification/0/pattern"),
        ("bad-regex", None, "/tasks/0/verification/1/expect_stdout_match"),
        ("bad-regex", None, "/non_goals/0/forbidden/0/pattern"),
    ]


@pytest.mark.parametrize("pattern", ["def main", "^a.*b$", "[[]", r"\bcafé\b", "(?P<n>x)(?P=n)"])
def test_a_python_regex_is_taken_without_a_warning(pattern: str) -> None:
    assert found(with_check(**{**GREP, "pattern": pattern})) == []


def test_an_id_names_one_clause_only() -> None:
    subject = contract(
        task(1, verification=[{**GREP, "id": "A"}, {**GREP, "id": "A"}, GREP]),
        success_criteria=[{"id": "B", "description": TOLD}, {"id": "T1/check-3", "description": TOLD}],
        non_goals=[{"id": "B", "description": TOLD}],
        stop_conditions=[{"id": "A", "description": TOLD}, {"id": "stop-3", "description": TOLD}, "plain"],
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
    subject = contract(non_goals=[{"id": "", "description": TOLD}])

    assert found(subject) == [("bad-clause-id", None, "/non_goals/0/id")]


def test_what_proves_must_exist() -> None:
    subject = contract(
        success_criteria=[
            {"id": "C1", "description": TOLD, "proven_by": ["T1/check-1", "gate/tests", "T1/check-2"]}
        ],
        stop_conditions=[{"id": "S1", "description": TOLD, "proven_by": ["C1", "gate/nothing"]}],
    )

    assert found(subject) == [
        ("unknown-proof", None, "/success_criteria/0/proven_by/2"),
        ("unknown-proof", None, "/stop_conditions/0/proven_by/1"),
    ]


def test_nothing_proves_itself() -> None:
    subject = contract(
        success_criteria=[
            {"id": "C1", "description": TOLD, "proven_by": ["C1"]},
            {"id": "C2", "description": TOLD, "proven_by": ["T1/check-1", "S1"]},
        ],
        stop_conditions=[{"id": "S1", "description": TOLD, "proven_by": ["C2"]}],
    )

    assert found(subject) == [
        ("circular-proof", None, "/success_criteria/0/proven_by/0"),
        ("circular-proof", None, "/stop_conditions/0/proven_by/0"),
    ]


@pytest.mark.parametrize(("score", "is_refused"), [(0, False), (6, False), (7, True), (10, True)])
def test_an_ambiguity_of_seven_is_too_much(score: int, is_refused: bool) -> None:
    expected = [("too-ambiguous", None, "/ambiguity_score")] if is_refused else []

    assert found(contract(ambiguity_score=score)) == expected


@pytest.mark.parametrize("glob", ["src//auth", "src/./*.py", "././src", "src//**/a.py"])
@pytest.mark.parametrize("field", ["untouched", "exports", "paths"])
def test_a_non_goal_whose_glob_covers_no_file_would_always_be_kept(field: str, glob: str) -> None:
    predicate = {"forbidden": [{"pattern": "eval", "paths": [glob]}]} if field == "paths" else {field: [glob]}
    goal = {"id": "N1", "description": TOLD, **predicate}

    [(code, _, path)] = found(contract(non_goals=[goal]))

    assert code == "vacuous-glob"
    assert path.endswith(f"/{field}/0")


@pytest.mark.parametrize("glob", ["/etc/passwd", "//a", ".", "./"])
def test_a_glob_that_leads_outside_is_said_to_do_that_and_no_more(glob: str) -> None:
    goal = {"id": "N1", "description": TOLD, "exports": [glob]}

    assert found(contract(non_goals=[goal])) == [("path-escape", None, "/non_goals/0/exports/0")]


@pytest.mark.parametrize("glob", ["**", "**/*", "./**", "**/*.*"])
def test_a_non_goal_that_leaves_every_file_untouched_could_never_be_kept(glob: str) -> None:
    goal = {"id": "N1", "description": TOLD, "untouched": [glob], "exports": [glob]}

    told = found(contract(task(1, files_modify=[]), non_goals=[goal]))

    assert told == [("vacuous-glob", None, "/non_goals/0/untouched/0")]


@pytest.mark.parametrize("glob", ["src", "./src/", "src/**", "**/*.lock", "*", "src/**/", "app/[id]/*.ts"])
def test_a_glob_that_covers_something_and_leaves_something_is_let_alone(glob: str) -> None:
    goal = {"id": "N1", "description": TOLD, "untouched": [glob]}

    assert found(contract(task(1, files_modify=["lib/a.py"]), non_goals=[goal])) == []


@pytest.mark.parametrize(
    "pattern",
    ["", ".*", "x*", "^", "$", "^.*$", r"\s*$", "(a|b)?", "a|", "(?i).*", "(?:a?)+", "a{0,3}", "[|]*"],
)
def test_a_pattern_that_every_text_matches_tells_nothing(pattern: str) -> None:
    evidence = [{"path": "a.py", "description": "d", "matcher": pattern}]
    checks = [
        {**GREP, "pattern": pattern},
        {**RUN, "expect_stdout_match": pattern},
        {"type": "behavioral", "description": "d", "evidence_required": evidence},
    ]
    goal = {"id": "N1", "description": TOLD, "forbidden": [{"pattern": pattern}]}

    assert sorted(found(contract(task(1, verification=checks), non_goals=[goal]))) == [
        ("vacuous-pattern", None, "/non_goals/0/forbidden/0/pattern"),
        ("vacuous-pattern", None, "/tasks/0/verification/0/pattern"),
        ("vacuous-pattern", None, "/tasks/0/verification/1/expect_stdout_match"),
        ("vacuous-pattern", None, "/tasks/0/verification/2/evidence_required/0/matcher"),
    ]


@pytest.mark.parametrize(
    "pattern",
    ["^$", r"^\s*$", "x+", ".", r"\*", "[*]", r"\bfoo\b", "(?=a)", "(?!a)b*", "(a|b)", "a{1,2}", r".*\$"],
)
def test_a_pattern_that_asks_for_something_is_let_alone(pattern: str) -> None:
    assert found(with_check(**{**GREP, "pattern": pattern})) == []


def test_a_hostile_pattern_is_read_and_never_run() -> None:
    """Run on an empty text already, this one would take longer than anybody waits."""
    assert found(with_check(**{**GREP, "pattern": "(?:a?|b?){60}(?!b)"})) == []


LINE_END = ["a\\nb", "a\nb", "\\r", "a\\r\\n", "(a\\n)+b", "(?:x\\n|\\n)", "[\\r\\n]", "\\n{2,}", "(?i)A\\n"]
NEVER = ["(?!)", "a(?!)", "$^", r"[^\s\S]", r"x[^\W\w]+", "(a|b)(?!)", "(?:(?!)|[^\\d\\D])"]


@pytest.mark.parametrize("pattern", [*LINE_END, *NEVER])
@pytest.mark.parametrize("expect", ["present", "absent"])
def test_a_pattern_that_no_line_matches_tells_nothing(pattern: str, expect: str) -> None:
    evidence = [{"path": "a.py", "description": "d", "matcher": pattern}]
    checks = [
        {**GREP, "pattern": pattern, "expect": expect},
        {"type": "behavioral", "description": "d", "evidence_required": evidence},
    ]
    goal = {"id": "N1", "description": TOLD, "forbidden": [{"pattern": pattern}]}

    assert sorted(found(contract(task(1, verification=checks), non_goals=[goal]))) == [
        ("vacuous-pattern", None, "/non_goals/0/forbidden/0/pattern"),
        ("vacuous-pattern", None, "/tasks/0/verification/0/pattern"),
        ("vacuous-pattern", None, "/tasks/0/verification/1/evidence_required/0/matcher"),
    ]


def test_what_a_program_prints_has_lines() -> None:
    assert [found(with_check(**{**RUN, "expect_stdout_match": pattern})) for pattern in LINE_END] == [
        [] for _ in LINE_END
    ]
    for pattern in NEVER:
        told = found(with_check(**{**RUN, "expect_stdout_match": pattern}))
        assert told == [("vacuous-pattern", None, "/tasks/0/verification/0/expect_stdout_match")]


@pytest.mark.parametrize(
    "pattern",
    [
        r"\\n",
        r"a\n?b",
        r"a\n*",
        r"a(\n)?b",
        r"a\n{0,2}b",
        r"a\n{00}b",
        r"a|\n",
        r"[a\n]",
        r"[^\n]+x",
        "(?x) a\nb",
        r"(?s)a.b",
        r"(?!a\n)b",
        r"(?<!\n)b",
        r"a(?!)?b",
        r"[^\s\S]?x",
        "[$^]",
        r"\$\^",
        "(?#\n)a",
    ],
)
def test_a_pattern_that_some_line_matches_is_let_alone(pattern: str) -> None:
    told = found(with_check(**{**GREP, "pattern": pattern}))

    assert told == []


@settings(max_examples=500, deadline=None)
@given(st.text("ab.*+?|()[]{},01^$\\n\n!:xsS", max_size=12))
def test_what_is_said_to_match_no_line_matches_none(pattern: str) -> None:
    if pattern != "$^" and matches_no_line(pattern):
        assert not any(
            re.search(pattern, text) for text in ("", "x", "a", "b", "ab", "aabb", "n", "01", "!:")
        )


@pytest.mark.parametrize(
    "argv",
    [
        ["true"],
        [":"],
        ["echo", "all tests pass"],
        ["printf", "ok"],
        ["pwd"],
        ["date", "-u"],
        ["ls"],
        ["ls", "-la"],
        ["/bin/true"],
        ["/usr/bin/echo"],
        ["sleep", "1"],
        ["sh", "-c", "true"],
        ["bash", "-c", "exit 0"],
        ["bash", "-c", "echo ok"],
    ],
)
def test_a_command_that_ends_well_whatever_was_done_shows_nothing(argv: list[str]) -> None:
    command = {**RUN, "command": argv[0], "args": argv[1:]}

    assert found(with_check(**command)) == [("vacuous-command", None, "/tasks/0/verification/0/command")]


@pytest.mark.parametrize(
    "argv",
    [
        ["ls", "src/a.py"],
        ["ls", "-l", "src"],
        ["./true"],
        ["script/echo"],
        ["test", "-f", "a"],
        ["cat", "a"],
        ["sh", "-c", "echo ok && false"],
        ["sh", "-c", "exit 1"],
        ["sh", "-c", "echo ok\nmake"],
        ["sh", "-c", "echo $(make)"],
        ["sh", "check.sh"],
        ["python", "-m", "date"],
        ["make"],
    ],
)
def test_a_command_that_can_end_badly_is_let_alone(argv: list[str]) -> None:
    assert found(with_check(**{**RUN, "command": argv[0], "args": argv[1:]})) == []


def test_a_command_is_judged_by_what_is_expected_of_it() -> None:
    assert found(with_check(**{**RUN, "command": "ls", "args": [], "expect_stdout_match": "a.py"})) == []
    assert found(with_check(**{**RUN, "command": "false", "args": [], "expected_exit": 0})) == []
    assert found(with_check(**{**RUN, "command": "false", "args": [], "expected_exit": 1})) == [
        ("vacuous-command", None, "/tasks/0/verification/0/command")
    ]


@settings(max_examples=500, deadline=None)
@given(st.text("ab.*+?|()[]{},01^$\\ :PidZA", max_size=12))
def test_what_is_said_to_match_everything_does(pattern: str) -> None:
    """A false alarm would send a good plan back."""
    if matches_every_text(pattern):
        assert all(re.search(pattern, text) for text in ("", "x", "one two", "\N{SNOWMAN}"))


def test_every_file_holds_the_empty_text() -> None:
    subject = with_check(type="file-exists", path="a.py", must_contain="")

    assert found(subject) == []
    assert warned(subject) == [("vacuous-pattern", "/tasks/0/verification/0/must_contain")]
    assert warned(with_check(type="file-exists", path="a.py", must_contain=" ")) == []


@pytest.mark.parametrize(
    "goal",
    [
        "Do not modify `src/auth/`",
        {"id": "auth", "description": "Sign-in stays", "untouched": ["src/auth/**"]},
    ],
)
def test_a_task_that_writes_what_a_non_goal_leaves_alone_is_a_contradiction(goal: object) -> None:
    files = ["src/auth/login.py", "src/other.py"]
    subject = contract(task(1, files_modify=files), non_goals=[goal])

    assert found(subject) == [("contradiction", None, "/tasks/0/files_modify/0")]


def test_a_pattern_cannot_be_there_and_not_be_there() -> None:
    absent = {**GREP, "path": "./src//a.py", "expect": "absent"}
    subject = contract(task(1), task(2, verification=[absent, {**absent, "pattern": "def other"}]))

    assert found(subject) == [("contradiction", None, "/tasks/1/verification/0/expect")]


def test_a_pattern_may_be_in_one_file_and_not_in_another() -> None:
    absent = {**GREP, "expect": "absent"}
    checks = [GREP, GREP, {**absent, "path": "src/b.py"}, {**absent, "pattern": "def Main"}]

    assert found(contract(task(1, verification=checks))) == []


EXISTS = {"type": "file-exists", "path": "src/old.py"}
DELETES = {"files_modify": [], "files_delete": ["./src/old.py"]}


def test_what_a_task_deletes_cannot_be_asked_for_from_then_on() -> None:
    same = contract(task(1, verification=[GREP, EXISTS], **DELETES))
    later = contract(task(1, **DELETES), task(2, verification=[EXISTS]))

    assert found(same) == [("contradiction", None, "/tasks/0/verification/1/path")]
    assert found(later) == [("contradiction", None, "/tasks/1/verification/0/path")]


@pytest.mark.parametrize("created", ["src/old.py", "src/*.py", "src/{old,new}.py"])
def test_what_is_deleted_may_be_asked_for_once_it_is_made_anew(created: str) -> None:
    made = task(2, files_modify=[], files_create=[created], verification=[EXISTS])
    before = {**made, "id": "T3", "wave": 1}

    assert found(contract(task(1, **DELETES), made)) == []
    assert found(contract(before, task(2, **DELETES), task(4, verification=[EXISTS]))) == [
        ("contradiction", None, "/tasks/2/verification/0/path")
    ]


def test_what_another_task_asks_for_first_may_be_deleted_later() -> None:
    assert found(contract(task(1, verification=[EXISTS]), task(2, **DELETES))) == []
    globs = contract(task(1, files_modify=[], files_delete=["src/*.py"], verification=[EXISTS]))
    assert found(globs) == []


@pytest.mark.parametrize("path", ["{*,src}", "{**,a}/*", "src/{a,b}"])
def test_a_scope_is_as_wide_as_the_widest_of_its_alternatives(path: str) -> None:
    codes = [code for code, _, _ in found(contract(task(1, files_modify=[path])))]

    assert codes == ([] if path == "src/{a,b}" else ["scope-too-wide"])


def test_no_alternative_of_a_non_goal_leaves_every_file_untouched() -> None:
    goal = {"id": "N1", "description": TOLD, "untouched": ["{**,src}"]}

    told = found(contract(task(1, files_modify=[]), non_goals=[goal]))

    assert told == [("vacuous-glob", None, "/non_goals/0/untouched/0")]


def test_a_contract_beyond_all_measure_is_told_so_and_not_compared_for_ever() -> None:
    goals = [{"id": f"n{n}", "description": TOLD, "untouched": [f"lib/{n}/*.py"]} for n in range(1_000)]
    files = [f"src/{n}.py" for n in range(6_000)]

    told = found(contract(task(1, files_modify=files), non_goals=goals))

    assert told == [("too-many", None, "/tasks"), ("too-many", None, "/non_goals")]


def test_patterns_beyond_all_measure_are_not_compiled() -> None:
    checks = [{**GREP, "pattern": "(a|b)" * 1_000 + str(n)} for n in range(50)]

    assert found(contract(task(1, verification=checks))) == [("too-many", None, "/tasks")]


def test_a_path_lies_no_deeper_than_anybody_digs() -> None:
    told = found(contract(task(1, files_modify=["a/" * 150 + "b.py"])))

    assert told == [("path-escape", None, "/tasks/0/files_modify/0")]
