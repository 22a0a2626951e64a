"""The conditions of each phase: what they ask for, what they name, and when they ask for nothing."""

import pytest
from audit_bench import PRODUCTS, Files, complete
from hypothesis import given
from hypothesis import strategies as st

from signoff.audits.audit_phases import (
    BUGS,
    EXPLORATION,
    FOLDER,
    GATE_LOG,
    GENERATED,
    PROGRESS,
    TDD_RESULTS,
    check_phase,
    compare_bugs,
    count_bugs,
    is_done,
)
from signoff.domain.base.violations import Severity

PHASES = range(1, 7)
REVIEW = f"{FOLDER}/code_reviews/first.md"
PATCH = f"{FOLDER}/patches/BUG-001-regression-test.patch"
TRIAGE, AUDITOR = (f"{FOLDER}/spec_audits/{name}" for name in ("x-triage.md", "x-auditor-1.md"))


def said(phase: int, files: Files) -> list[tuple[str, str]]:
    return [(unmet.violation.code, unmet.file) for unmet in check_phase(phase, files)]


def without(*paths: str, **changed: str) -> Files:
    return Files({path: text for path, text in complete().items() if path not in paths} | changed)


@pytest.mark.parametrize("phase", PHASES)
def test_a_phase_whose_files_are_complete_has_nothing_against_it(phase: int) -> None:
    assert check_phase(phase, complete()) == ()
    assert is_done(phase, complete())


@pytest.mark.parametrize(
    ("phase", "path"), [(n, path) for n in PHASES for path in PRODUCTS[n] if path != BUGS]
)
def test_no_file_of_a_phase_may_be_missing(phase: int, path: str) -> None:
    found = check_phase(phase, without(path))

    assert not is_done(phase, without(path))
    assert [unmet.violation.rule for unmet in found] == [phase]
    assert path.rsplit("/", 1)[0] in found[0].file
    assert found[0].file in found[0].violation.message or "test_functional" in path


def test_every_condition_that_does_not_hold_is_named() -> None:
    assert said(2, Files()) == [
        *(("artifact-missing", f"{FOLDER}/{name}") for name in GENERATED),
        ("functional-test-missing", f"{FOLDER}/test_functional.*"),
    ]
    assert len(said(4, Files())) == len(said(6, Files())) == 2


@pytest.mark.parametrize(
    ("phase", "path"),
    [*((2, f"{FOLDER}/{name}") for name in GENERATED), (5, TDD_RESULTS), (6, GATE_LOG)],
)
@pytest.mark.parametrize("text", ["", "\n\n", " \t\n"])
def test_a_file_that_must_say_something_must_not_be_empty(phase: int, path: str, text: str) -> None:
    assert said(phase, Files({**complete(), path: text})) == [("artifact-empty", path)]


@pytest.mark.parametrize(
    ("phase", "path"), [(3, REVIEW), (3, PATCH), (4, TRIAGE), (5, f"{FOLDER}/writeups/BUG-001.md")]
)
def test_a_file_that_must_only_be_there_is_a_warning_when_empty(phase: int, path: str) -> None:
    (unmet,) = check_phase(phase, Files({**complete(), path: ""}))

    assert (unmet.violation.code, unmet.violation.severity, unmet.file) == (
        "artifact-blank",
        Severity.WARNING,
        path,
    )
    assert is_done(phase, Files({**complete(), path: ""}))


@pytest.mark.parametrize(
    "heading", ["## Finding 1", "## Findings", "##  Open Exploration Findings", "## 12. Locks", "##\t1. x"]
)
def test_findings_have_one_of_three_headings(heading: str) -> None:
    assert said(1, Files({EXPLORATION: f"{heading}\n" * 120})) == []


@pytest.mark.parametrize(
    "heading", ["# Finding", "### Finding", "##Finding", " ## Finding", "## finding", "## 1 x", "## Risks"]
)
def test_other_headings_are_no_findings(heading: str) -> None:
    assert said(1, Files({EXPLORATION: f"{heading}\n" * 120})) == [("finding-section-missing", EXPLORATION)]


def test_an_exploration_has_120_lines_at_least() -> None:
    assert said(1, Files({EXPLORATION: "## 1. x\n" * 119})) == [("artifact-too-short", EXPLORATION)]
    assert said(1, Files({EXPLORATION: "x"})) == [
        ("artifact-too-short", EXPLORATION),
        ("finding-section-missing", EXPLORATION),
    ]


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("test_functional.go", True),
        ("test_functional.test.ts", True),
        ("test_functional", False),
        ("test_functional.", False),
        ("my_test_functional.py", False),
    ],
)
def test_functional_tests_have_any_extension(name: str, fits: bool) -> None:
    files = without(f"{FOLDER}/test_functional.py")
    files[f"{FOLDER}/{name}"] = "text"

    assert is_done(2, files) is fits


@pytest.mark.parametrize(
    "bugs", [None, "", "# Bugs\n\nNo confirmed bugs\n", "## BUG-001\n#### BUG-002\nBUG-003\n"]
)
def test_without_bugs_phases_3_and_5_ask_for_less(bugs: str | None) -> None:
    files = Files({REVIEW: "text"} | ({} if bugs is None else {BUGS: bugs}))

    assert said(3, files) == said(5, files) == []


def test_a_bug_list_that_cannot_be_read_is_not_one_without_bugs() -> None:
    class Closed(Files):
        def lines(self, path: str) -> list[str] | None:
            return None if path == BUGS else list(super().lines(path) or ())

    files = Closed({BUGS: "", REVIEW: "text"})

    assert said(3, files) == said(5, files) == [("artifact-unreadable", BUGS)]
    assert count_bugs(files) is None
    assert [unmet.violation.code for unmet in compare_bugs(0, files)] == ["artifact-unreadable"]


def test_one_patch_is_enough_and_each_bug_needs_its_own_write_up() -> None:
    files = without(f"{FOLDER}/writeups/BUG-002.md", f"{FOLDER}/results/BUG-001.red.log")

    assert said(3, files) == []
    assert said(5, files) == [
        ("artifact-missing", f"{FOLDER}/results/BUG-001.red.log"),
        ("artifact-missing", f"{FOLDER}/writeups/BUG-002.md"),
    ]


def test_a_bug_heading_without_an_id_is_named() -> None:
    assert said(5, Files({BUGS: "### BUG-\n", TDD_RESULTS: "{}"})) == [("bug-heading-invalid", BUGS)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a-triage.md"], ["auditor-missing"]),
        (["a-auditor-1.md", "a-auditor-2.md"], ["triage-missing"]),
        (["one.md", "two.md"], ["audit-names-odd"]),
        (["one.md"], ["triage-missing", "auditor-missing"]),
        (["a-triage.md", "other.md"], ["auditor-missing"]),
        (["a-auditor-1-triage.md"], ["auditor-missing"]),
    ],
)
def test_an_audit_has_triage_and_auditors_or_two_files_of_another_name(
    names: list[str], expected: list[str]
) -> None:
    files = Files({f"{FOLDER}/spec_audits/{name}": "text" for name in names})

    assert [code for code, _ in said(4, files)] == expected
    assert is_done(4, files) is (expected == ["audit-names-odd"])


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("## Terminal Gate Verification", True),
        ("### 6.2 Terminal Gate Verification (script)", True),
        ("Terminal Gate Verification", False),
        ("see Terminal Gate Verification", False),
        ("## Terminal Gate", False),
    ],
)
def test_the_terminal_gate_is_a_section(text: str, fits: bool) -> None:
    assert is_done(6, Files({**complete(), PROGRESS: f"# Progress\n\n{text}\n"})) is fits


def test_the_count_of_the_log_is_held_against_the_list() -> None:
    assert list(compare_bugs(2, complete())) == []
    assert [unmet.violation.code for unmet in compare_bugs(3, complete())] == ["bugs-count-differs"]
    assert count_bugs(Files()) == 0


PATHS = st.sampled_from(sorted({path for products in PRODUCTS.values() for path in products}))


@given(st.dictionaries(PATHS, st.text(max_size=30) | st.just("### BUG-1\n" * 3)), st.sampled_from(PHASES))
def test_no_files_make_the_conditions_stumble(files: dict[str, str], phase: int) -> None:
    found = check_phase(phase, Files(files))

    assert all(unmet.violation.rule == phase and unmet.file.startswith(FOLDER) for unmet in found)
