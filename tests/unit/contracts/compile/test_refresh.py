"""Compiling again: the plan wins where it speaks, and what only the contract knew stays."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_documents import ANY_OBJECT
from plans import PLAN, compiled, line_of, places, spoiled

from signoff.contracts.compile.plan_gaps import Compiled
from signoff.contracts.compile.refresh import refresh
from signoff.contracts.files.contract_seal import sealed
from signoff.domain.work.contract import Contract
from signoff.text.json.camel_case import to_camel

T1, T2 = line_of("## Task 1"), line_of("## Task 2")


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

    made = refresh(old, compiled(PLAN))

    assert made.contract == compiled(PLAN).contract
    assert places(made.warnings) == [(1, "seal-dropped"), (1, "task-left")]
    assert "into the plan" in made.warnings[1].fix


def test_an_untouched_contract_of_an_unchanged_plan_stays_as_it_is() -> None:
    made = refresh(sealed(compiled(PLAN).contract), compiled(PLAN))

    assert (made.contract, made.gaps) == (compiled(PLAN).contract, ())
    assert places(made.warnings) == [(1, "seal-dropped")]


def test_a_check_added_by_hand_stays_behind_those_of_the_plan() -> None:
    """A refresh that loses a check asks for less without a word."""
    added = {"type": "grep-match", "path": "src/auth.ts", "pattern": "secure", "expect": "present"}
    old = finished()
    old["tasks"][0]["verification"].insert(0, added)

    made = refresh(old, compiled(PLAN))

    tasks: Any = made.contract["tasks"]
    plan: Any = compiled(PLAN).contract["tasks"]
    assert tasks[0]["verification"] == [*plan[0]["verification"], added]
    assert (made.gaps, places(made.warnings)) == ((), [(T1, "check-kept")])


def test_a_field_the_plan_says_nothing_of_stays_on_its_check() -> None:
    old = finished()
    old["tasks"][0]["verification"][0]["must_contain"] = "z.object"

    made = refresh(old, compiled(PLAN))

    tasks: Any = made.contract["tasks"]
    assert tasks[0]["verification"] == old["tasks"][0]["verification"]
    assert made.warnings == ()


def test_a_field_the_plan_speaks_of_is_what_the_plan_says() -> None:
    plan = spoiled("**Expected:** exit 0", "**Expected:** exit 0\n**Folder:** web\n**Timeout:** 5 s")
    old = finished(plan)
    old["tasks"][0]["verification"][1] |= {"cwd": "api", "timeout_ms": 1, "once": True}

    tasks: Any = refresh(old, compiled(plan)).contract["tasks"]

    check = tasks[0]["verification"][1]
    assert (check["cwd"], check["timeout_ms"], check["once"]) == ("web", 5000, True)


def test_files_added_by_hand_stay_in_their_lists() -> None:
    old = finished()
    old["tasks"][0]["files_create"].append("src/session.ts")
    old["tasks"][0]["files_delete"] = ["./src/old.ts", "src/older.ts"]
    old["tasks"][1]["files_modify"].insert(0, "src/form.tsx")
    old["tasks"][1]["context_files"] = ["src/theme.ts"]

    made = refresh(old, compiled(PLAN))

    tasks: Any = made.contract["tasks"]
    assert tasks[0]["files_create"] == ["src/schema.ts", "src/session.ts"]
    assert tasks[0]["files_delete"] == ["src/old.ts", "src/older.ts"]
    assert tasks[1]["files_modify"] == ["src/page.tsx", "src/form.tsx"]
    assert tasks[1]["context_files"] == ["src/theme.ts"]
    kept = line_of("**Files:** `src/auth"), line_of("**Files:** src/page")
    assert places(made.warnings) == [(line, "file-kept") for line in kept for _ in range(2)]


def test_criteria_added_by_hand_stay_behind_those_of_the_plan() -> None:
    criterion = {"id": "C9", "description": "It takes a second", "proven_by": ["T1/check-1"]}
    old = finished()
    old["tasks"][0]["acceptance_criteria"].insert(0, "The cookie is secure")
    old["success_criteria"] = [criterion, "Nobody waits", *old["success_criteria"]]

    made = refresh(old, compiled(PLAN))

    tasks: Any = made.contract["tasks"]
    plan: Any = compiled(PLAN).contract
    accepted = plan["tasks"][0]["acceptance_criteria"]
    assert tasks[0]["acceptance_criteria"] == [*accepted, "The cookie is secure"]
    assert made.contract["success_criteria"] == [*plan["success_criteria"], criterion, "Nobody waits"]
    assert places(made.warnings) == [(1, "criterion-kept"), (1, "criterion-kept"), (T1, "criterion-kept")]


@pytest.mark.parametrize("heading", ["Non-goals", "Stop conditions", "Assumptions", "Out of scope"])
def test_entries_of_other_lists_that_only_the_contract_knew_stay(heading: str) -> None:
    name = heading.casefold().replace("-", "_").replace(" ", "_")
    plan = PLAN.replace("## Verification", f"## {heading}\n- One\n- Two\n\n## Verification")
    old = finished(plan, **{name: ["Three", "Two"]})

    made = refresh(old, compiled(plan))

    assert made.contract[name] == ["One", "Two", "Three"]
    assert places(made.warnings) == [(1, "entry-kept")]


def test_a_clause_whose_id_the_plan_has_is_the_plans() -> None:
    """Kept beside its new wording it would be there twice, and a contract with one id twice is none."""
    plan = spoiled("**Expected:** exit 0", "**Expected:** exit 0\n**Id:** `T1/types`")
    plan = plan.replace("An error is shown", "An error is shown (id: `C1`)")
    old = finished(plan, success_criteria=["A user lands on the dashboard"])
    old["success_criteria"].append({"id": "C1", "description": "A mistake is shown", "proven_by": ["x"]})
    old["tasks"][0]["verification"][1] |= {"args": ["tsc"], "timeout_ms": 9}
    old["tasks"][0]["verification"].reverse()
    old["tasks"][1]["verification"].append({"type": "file-exists", "path": "a", "id": "T1/types"})

    made = refresh(old, compiled(plan))

    assert (made.gaps, made.warnings) == ((), ())
    tasks: Any = made.contract["tasks"]
    assert tasks[0]["verification"][1] == {
        "type": "command-exit",
        "command": "npx",
        "args": ["tsc", "--noEmit"],
        "expected_exit": 0,
        "id": "T1/types",
        "timeout_ms": 9,
    }
    criteria: Any = made.contract["success_criteria"]
    assert criteria[1] == {"id": "C1", "description": "An error is shown", "proven_by": ["x"]}


def test_where_it_is_not_clear_which_check_was_changed_all_of_them_stay() -> None:
    """To take one of two for the one that the plan now says otherwise would lose the other."""
    block = "\n### Contract for Task 2\n**Check type:** grep-match\n**Path:** `a`\n**Pattern:** `{}`\n"
    old = finished(PLAN + block.format("one"))
    by_hand = {"type": "grep-match", "path": "a", "pattern": "two", "expect": "present"}
    old["tasks"][1]["verification"].insert(0, by_hand)

    made = refresh(old, compiled(PLAN + block.format("three")))

    tasks: Any = made.contract["tasks"]
    assert [check.get("pattern") for check in tasks[1]["verification"]] == [None, "three", "two", "one"]
    assert places(made.warnings) == [(T2, "check-kept"), (T2, "check-kept")]


def test_checks_of_one_command_in_two_folders_stay_two() -> None:
    plan = spoiled("**Expected:** exit 0", "**Expected:** exit 0\n**Folder:** web")
    old = finished(plan)
    checks = old["tasks"][0]["verification"]
    checks.insert(0, {**checks[1], "cwd": "api"})

    tasks: Any = refresh(old, compiled(plan)).contract["tasks"]

    assert [check.get("cwd") for check in tasks[0]["verification"]] == [None, "web", "api"]


def test_a_contract_in_camel_case_loses_nothing_either() -> None:
    old = finished()
    old["tasks"][0]["verification"][0]["must_contain"] = "z.object"
    spelt: Any = to_camel(old, Contract)
    assert "filesModify" in spelt["tasks"][0]

    assert refresh(spelt, compiled(PLAN)) == refresh(old, compiled(PLAN))


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
    assert found == [(None, None), (None, "1"), ("second", "two"), ("first", "one")]


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


ADDED_CHECKS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(("file-exists", "command-exit"))},
        optional={
            "path": st.sampled_from(("src/schema.ts", "a")),
            "must_contain": st.sampled_from(("x", "y")),
            "id": st.sampled_from(("T1/types", "other")),
            "command": st.just("npx"),
            "args": st.sampled_from((["tsc", "--noEmit"], ["tsc"])),
            "expected_exit": st.integers(0, 1),
            "cwd": st.sampled_from(("web", "api")),
        },
    ),
    max_size=6,
)


@settings(max_examples=100, deadline=None)
@given(ADDED_CHECKS, st.permutations((0, 1, 2)))
def test_however_checks_were_added_and_sorted_refreshing_again_changes_nothing(
    added: list[dict[str, object]], order: list[int]
) -> None:
    blocks = ("**Id:** `T1/types`\n**Folder:** web\n", "**Folder:** api\n", "")
    block = (
        "\n### Contract for Task 1\n**Check type:** command-exit\n"
        "**Command:** `npx tsc --noEmit`\n**Exit code:** 0\n{}"
    )
    new = compiled(PLAN + "".join(block.format(blocks[n]) for n in order))
    old = finished()
    old["tasks"][0]["verification"] = added

    once = refresh(old, new)

    assert lasting(refresh(once.contract, new)) == lasting(once)
    tasks: Any = once.contract["tasks"]
    plan: Any = new.contract["tasks"]
    for check, made in zip(plan[0]["verification"], tasks[0]["verification"], strict=False):
        assert check.items() <= made.items()


def lasting(made: Compiled) -> tuple[object, object]:
    return made.contract, made.gaps


@settings(max_examples=50, deadline=None)
@given(ANY_OBJECT | PLANS.map(lambda plan: compiled(plan).contract), PLANS)
def test_refreshing_again_changes_nothing(old: dict[str, object], plan: str) -> None:
    new = compiled(plan)

    once = refresh(old, new)

    assert lasting(refresh(once.contract, new)) == lasting(once)
    assert new == compiled(plan)
