"""Compiling again: the plan wins where it speaks, and what only the contract knew stays."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from json_documents import ANY_OBJECT
from plans import PLAN, compiled, places, spoiled

from signoff.core.compiling.gaps import Compiled
from signoff.core.compiling.refresh import refresh


def finished(plan: str = PLAN, **changes: Any) -> Any:
    """Give the contract of a plan as a person completed it."""
    return {**compiled(plan).contract, **changes}


def test_the_plan_wins_where_it_speaks() -> None:
    old = finished(goal="another", why="another", generated_by="manual")
    old["tasks"][0] |= {"title": "another", "files_create": [], "action": "another", "persona": "ux"}

    assert refresh(old, compiled(PLAN)) == compiled(PLAN)


def test_what_only_the_contract_knew_stays() -> None:
    plan = spoiled("**Persona:** backend\n", "").replace(" (modify)", "").replace(" (new)", "")
    plan = plan[: plan.index("**Evidence:**")]
    evidence = [{"path": "src/page.tsx", "description": "seen"}]
    criterion = {"id": "C1", "description": "An error is shown", "proven_by": ["T1/check-1"], "x": 1}
    old = finished(plan, non_goals=["nothing else"], x_team="core")
    old["tasks"][0] |= {
        "files_modify": ["src/auth.ts"],
        "files_create": ["src/schema.ts"],
        "persona": "ux",
        "x": [2],
    }
    old["tasks"][0]["verification"][0] |= {"id": "schema", "guard": True}
    old["tasks"][0]["verification"][1] |= {
        "timeout_ms": 9,
        "cwd": "web",
        "once": True,
        "expect_stdout_match": "k",
    }
    old["tasks"][1]["verification"][0]["evidence_required"] = evidence
    old["success_criteria"] = [criterion]
    new = compiled(plan)
    assert places(new.gaps)

    made = refresh(old, new)

    assert (made.gaps, made.warnings) == ((), ())
    tasks: Any = made.contract["tasks"]
    first, second = tasks
    assert first == {**old["tasks"][0], "files_delete": ["src/old.ts"]}
    assert list(first)[4] == "persona"
    assert second["verification"][0]["evidence_required"] == evidence
    assert made.contract["success_criteria"] == ["A user lands on the dashboard", criterion]
    assert (made.contract["non_goals"], made.contract["x_team"]) == (["nothing else"], "core")


def test_a_file_the_plan_speaks_of_is_where_the_plan_says() -> None:
    old = finished()
    old["tasks"][0] |= {"files_modify": [], "files_create": ["src/auth.ts"]}

    tasks: Any = refresh(old, compiled(PLAN)).contract["tasks"]

    assert (tasks[0]["files_modify"], tasks[0]["files_create"]) == (["src/auth.ts"], ["src/schema.ts"])


def test_what_left_is_named() -> None:
    old = finished(seal="sha256:0")
    old["tasks"].append({**old["tasks"][0], "id": "T9"})
    old["tasks"][0]["verification"].append({"type": "file-exists", "path": "gone"})

    made = refresh(old, compiled(PLAN))

    assert made.contract == compiled(PLAN).contract
    assert places(made.warnings) == [(1, "seal-dropped"), (1, "task-left"), (15, "check-left")]


def test_each_check_finds_its_own_partner() -> None:
    """Two checks of one file must not swap what was known of them."""
    block = "### Contract for Task 2\n**Check type:** grep-match\n**Path:** `a`\n**Pattern:** `{}`\n\n"
    plan = PLAN + "\n" + block.format("one") + block.format("two")
    old = finished(plan)
    old["tasks"][1]["verification"][1]["id"] = "first"
    old["tasks"][1]["verification"][2]["id"] = "second"
    old["tasks"][1]["verification"].reverse()
    changed = plan.replace("`one`", "`1`")

    tasks: Any = refresh(old, compiled(changed)).contract["tasks"]

    found = [(check.get("id"), check.get("pattern")) for check in tasks[1]["verification"]]
    assert found == [(None, None), ("first", "1"), ("second", "two")]


def test_a_rule_broken_by_what_was_kept_is_a_gap() -> None:
    plan = PLAN[: PLAN.index("**Evidence:**")]
    old = finished(plan)
    old["tasks"][1]["verification"][0]["evidence_required"] = [{"path": "/etc/passwd", "description": "d"}]

    assert [code for _, code in places(refresh(old, compiled(plan)).gaps)] == ["breaks-a-rule"]


def test_a_rule_that_the_older_contract_keeps_is_no_gap() -> None:
    """Only the older contract knows that the file listed twice is a new one."""
    plan = spoiled("src/page.tsx (modify)", "a (new), a")
    old = finished(plan)
    old["tasks"][1] |= {"files_modify": [], "files_create": ["a"]}
    assert places(compiled(plan).gaps)

    made = refresh(old, compiled(plan))

    tasks: Any = made.contract["tasks"]
    assert (made.gaps, tasks[1]["files_modify"], tasks[1]["files_create"]) == ((), [], ["a"])


PLANS = st.sampled_from(
    (
        PLAN,
        "",
        PLAN[: PLAN.index("**Evidence:**")],
        PLAN.replace(" (modify)", "").replace(" (new)", ""),
        spoiled("**Persona:** backend\n", ""),
        PLAN[: PLAN.index("## Success")],
    )
)


def lasting(made: Compiled) -> tuple[object, object]:
    return made.contract, made.gaps


@settings(max_examples=50, deadline=None)
@given(ANY_OBJECT | PLANS.map(lambda plan: compiled(plan).contract), PLANS)
def test_refreshing_again_changes_nothing(old: dict[str, object], plan: str) -> None:
    new = compiled(plan)

    once = refresh(old, new)

    assert lasting(refresh(once.contract, new)) == lasting(once)
    assert new == compiled(plan)
