"""A plan whose contract could not be run is no contract yet."""

import pytest
from plans import PLAN, compiled, line_of, places, spoiled

from signoff.contracts.compile.refresh import refresh

TYPED = "**Expected:** exit 0"
CHECK = line_of("**Check type:** command-exit")


@pytest.mark.parametrize(
    ("plan", "line", "said"),
    [
        (spoiled("src/page.tsx (modify)", "/abs/x.py (modify)"), line_of("**Files:** src/page"), "/abs/x.py"),
        (spoiled("`src/schema.ts` (new)", "`../x.py` (new)"), line_of("## Task 1"), "../x.py"),
        (spoiled(TYPED, f"{TYPED}\n**Folder:** `../web`"), CHECK, "../web"),
        (spoiled(TYPED, f"{TYPED}\n**Output matches:** `(`"), CHECK, "unterminated"),
        (spoiled(TYPED, f"{TYPED}\n**Id:** `gate/tests`"), CHECK, "gate/tests"),
        (spoiled("An error is shown", "An error is shown (id: `T1/check-1`)"), 1, "T1/check-1"),
    ],
    ids=["absolute", "outside", "folder", "regex", "id", "id twice"],
)
def test_what_could_not_be_run_is_a_gap(plan: str, line: int, said: str) -> None:
    (gap,) = compiled(plan).gaps

    assert (gap.line, gap.code) == (line, "breaks-a-rule")
    assert said in gap.message
    assert gap.fix


def test_a_number_that_does_not_count_is_a_gap_still() -> None:
    plan = spoiled(TYPED, f"{TYPED}\n**Timeout:** 0 ms")

    assert places(compiled(plan).gaps) == [(CHECK, "breaks-a-rule")]


def test_what_makes_a_plan_precise_is_left_to_the_check_of_the_contract() -> None:
    """This plan names no non-goals and no stop conditions, which `strict` asks for."""
    assert compiled(PLAN).gaps == ()


def test_a_missing_path_is_said_once_and_that_of_a_kept_check_too() -> None:
    plan = spoiled("**Command:** `test -f src/schema.ts && echo EXISTS`\n", "**Path:**\n")
    old = compiled(PLAN).contract
    tasks = old["tasks"]
    assert isinstance(tasks, list)
    tasks[1]["verification"].append({"type": "file-exists", "path": ""})

    assert [code for _, code in places(compiled(plan).gaps)] == ["no-path"]
    assert places(refresh(old, compiled(PLAN)).gaps) == [(line_of("## Task 2"), "breaks-a-rule")]
