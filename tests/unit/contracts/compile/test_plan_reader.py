"""Compiling a plan: what it says, what it leaves out and on which line, and nothing that makes it stumble."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import NOW, PLAN, compiled, line_of, places, spoiled

from signoff.contracts.compile.plan_gaps import GapCode
from signoff.contracts.compile.plan_reader import MAX_PLAN, compile_plan
from signoff.contracts.rules.format_rules import check_contract
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.text.json.canonical import digest


def task(plan: str, number: int = 1) -> Any:
    tasks: Any = compiled(plan).contract["tasks"]
    return tasks[number - 1]


def test_a_whole_plan_compiles() -> None:
    made = compiled(PLAN)

    assert (made.gaps, made.warnings) == ((), ())
    assert check_contract(msgspec.convert(made.contract, Contract), ContractPolicy.SEED) == ()
    assert made.contract == {
        "version": 1,
        "phase": 2,
        "goal": "Users can sign in",
        "why": "Nobody stays without it.",
        "generated_at": NOW,
        "generated_by": "compile-plan",
        "source_plan_hash": digest(PLAN.encode()),
        "tasks": [
            {
                "id": "T1",
                "title": "Add the handler",
                "wave": 1,
                "depends_on": [],
                "persona": "backend",
                "files_modify": ["src/auth.ts"],
                "files_create": ["src/schema.ts"],
                "files_delete": ["src/old.ts"],
                "acceptance_criteria": ["POST `/signin` returns 200", "POST `/signin` returns 401 otherwise"],
                "action": "Validate with a schema, then set the cookie.",
                "context_files": ["src/client.ts", "src/server.ts"],
                "verification": [
                    {"type": "file-exists", "path": "src/schema.ts"},
                    {
                        "type": "command-exit",
                        "command": "npx",
                        "args": ["tsc", "--noEmit"],
                        "expected_exit": 0,
                    },
                ],
            },
            {
                "id": "T2",
                "title": "Wire the form",
                "wave": 2,
                "depends_on": ["T1"],
                "files_modify": ["src/page.tsx"],
                "files_create": [],
                "files_delete": [],
                "acceptance_criteria": ["The form posts"],
                "action": "Add a server action.",
                "context_files": [],
                "verification": [
                    {
                        "type": "behavioral",
                        "description": "Valid credentials lead to the dashboard",
                        "evidence_required": [
                            {
                                "path": "src/page.tsx",
                                "description": "the redirect",
                                "matcher": "redirect\\(['\"]",
                            },
                            {"path": "src/page.tsx", "description": "the form is wired"},
                        ],
                    }
                ],
            },
        ],
        "success_criteria": ["A user lands on the dashboard", "An error is shown"],
    }


def test_keys_stand_in_the_order_of_the_format() -> None:
    made = compiled(PLAN).contract

    assert list(made)[:9] == [
        *("version", "phase", "goal", "why", "generated_at", "generated_by", "source_plan_hash"),
        *("tasks", "success_criteria"),
    ]
    assert list(task(PLAN)) == [
        *("id", "title", "wave", "depends_on", "persona", "files_modify", "files_create", "files_delete"),
        *("acceptance_criteria", "action", "context_files", "verification"),
    ]


T1, T2, SUCCESS = line_of("## Task 1"), line_of("## Task 2"), line_of("## Success")
BLOCK_1, BLOCK_2, BLOCK_3 = (
    line_of("### Contract for Task 1 — Add the handler\n"),
    line_of("### Contract for Task 1 — Add the handler (wiring)"),
    line_of("### Contract for Task 2"),
)
GAPS: list[tuple[str, list[tuple[int, str]]]] = [
    (spoiled("phase: 2\n", "").replace("# Phase 2: Sign in", "# Sign in"), [(1, "no-phase")]),
    (spoiled("phase: 2\n", "phase: two\n"), [(2, "no-phase")]),
    (spoiled("phase: 2\n", "phase: 0\n"), [(2, "no-phase")]),
    (
        PLAN.replace('goal: "Users can sign in"\n', "").replace("**Goal:** Users can sign in\n", ""),
        [(1, "no-goal")],
    ),
    (spoiled('goal: "Users can sign in"', 'goal: ""'), [(3, "no-goal")]),
    (
        PLAN.replace("**Why this phase:** Nobody stays without it.\n", "").replace(
            "**Why:** Sessions start here.\n", ""
        ),
        [(1, "no-why")],
    ),
    ("---\nphase: 1\ngoal: g\nwhy: w\n---\n## Success Criteria\n- a\n", [(1, "no-tasks")]),
    (
        spoiled("- [ ] A user lands on the dashboard\n- [x] An error is shown\n", ""),
        [(SUCCESS, "no-success-criteria")],
    ),
    (PLAN.replace("## Success Criteria", "## Notes"), [(1, "no-success-criteria")]),
    (spoiled("## Success", "## Task 2 — Again\n\n## Success"), [(SUCCESS, "duplicate-task")]),
    (spoiled("**Depends on:** Task 1", "**Depends on:** Task 1, Task 7"), [(T2 + 3, "unknown-dependency")]),
    (spoiled("**Depends on:** Task 1", "**Depends on:** the handler"), [(T2 + 3, "unknown-dependency")]),
    (spoiled("**Persona:** backend", "**Persona:** wizard"), [(T1 + 2, "unknown-persona")]),
    (spoiled("**Acceptance Criteria:**\n- The form posts\n", ""), [(T2, "no-acceptance-criteria")]),
    (spoiled("- The form posts\n", ""), [(T2 + 4, "no-acceptance-criteria")]),
    (spoiled("Add a server action.", "x" * 501), [(T2 + 6, "action-too-long")]),
    (PLAN[: PLAN.index("### Contract for Task 2")], [(T2, "no-check")]),
    (spoiled("**Check type:** file-exists", "**Check type:** vibes"), [(BLOCK_1 + 1, "unknown-check-type")]),
    (spoiled("**Check type:** file-exists\n", ""), [(BLOCK_1, "unknown-check-type")]),
    (
        spoiled("### Contract for Task 2 — Wire the form", "### Contract for Task 9"),
        [(T2, "no-check"), (BLOCK_3, "block-without-task")],
    ),
    (
        spoiled("### Contract for Task 1 — Add the handler (wiring)\n", "## Another contract\n"),
        [(BLOCK_2 + 1, "block-without-task")],
    ),
    (spoiled("**Command:** `npx tsc --noEmit`\n", ""), [(BLOCK_2 + 1, "no-command")]),
    (spoiled("**Expected:** exit 0\n", ""), [(BLOCK_2 + 1, "no-expected")]),
    (spoiled("**Expected:** Valid credentials lead to the dashboard\n", ""), [(BLOCK_3 + 1, "no-expected")]),
    (
        spoiled("**Command:** `test -f src/schema.ts && echo EXISTS`\n", "**Path:**\n"),
        [(BLOCK_1 + 2, "no-path")],
    ),
    (
        spoiled("**Check type:** file-exists", "**Check type:** grep-match\n**Path:** `a`"),
        [(BLOCK_1 + 1, "no-pattern")],
    ),
    (PLAN[: PLAN.index("**Evidence:**")], [(BLOCK_3 + 1, "no-evidence")]),
    (
        spoiled("- `src/page.tsx` — the form is wired", "- the form is wired"),
        [(BLOCK_3 + 5, "unreadable-value")],
    ),
    (spoiled("**Wave:** 2", "**Wave:** later"), [(T2 + 1, "unreadable-value")]),
    (spoiled("**Expected:** exit 0", "**Exit code:** none"), [(BLOCK_2 + 3, "unreadable-value")]),
    (
        spoiled("**Expected:** exit 0", "**Expected:** exit 0\n**Guard:** maybe"),
        [(BLOCK_2 + 4, "unreadable-value")],
    ),
    (
        spoiled("**Expected:** exit 0", "**Expected:** exit 0\n**Timeout:** soon"),
        [(BLOCK_2 + 4, "unreadable-value")],
    ),
    (spoiled("---\n\n## Task 1", "**Ambiguity:** low\n\n## Task 1"), [(13, "unreadable-value")]),
    (
        spoiled("`npx tsc --noEmit`", "`curl -s x | jq . > $(mktemp)`"),
        [(BLOCK_2 + 2, "untranslated-command")],
    ),
    (spoiled("**Wave:** 2", "**Wave:** 1"), [(T2, "breaks-a-rule")]),
    (spoiled("src/page.tsx (modify)", "a (new), a (modify)"), [(T2, "breaks-a-rule")]),
    (spoiled("- `src/page.tsx` — the", "- `/etc/passwd` — the"), [(BLOCK_3 + 1, "breaks-a-rule")]),
]


@pytest.mark.parametrize(("plan", "expected"), GAPS)
def test_every_gap_is_named_with_its_line(plan: str, expected: list[tuple[int, str]]) -> None:
    """A gap on the wrong line sends its reader to the wrong task."""
    assert places(compiled(plan).gaps) == expected


WARNINGS: list[tuple[str, list[tuple[int, str]]]] = [
    (spoiled("**Why this phase:** Nobody stays without it.\n", ""), [(T1 + 4, "why-from-tasks")]),
    (spoiled("**Wave:** 2\n", ""), [(T2, "wave-derived")]),
    (spoiled("src/page.tsx (modify)", "src/page.tsx, `b`"), [(T2 + 2, "files-not-sorted")]),
    (spoiled("**Files:** src/page.tsx (modify)\n", ""), [(T2, "no-files")]),
    (spoiled("## Task 2 — Wire the form", "## Task 2"), [(T2, "no-title")]),
    (
        spoiled("**Acceptance Criteria:**\n- The form posts\n", "**Done when:** it posts\n"),
        [(T2 + 4, "legacy-anchor")],
    ),
    (
        PLAN[: PLAN.index("### Contract for Task 2")].replace(
            "Add a server action.", "Add it.\n\n**Validation:** (yours)\n- `npx tsc` → exit 0"
        ),
        [(T2 + 8, "check-from-validation")],
    ),
    (
        spoiled("Add a server action.", "Add it.\n\n**Validation:**\n- `npx tsc` → exit 0"),
        [(T2 + 8, "not-read")],
    ),
    (spoiled("tasks: 2", "tasks: 3"), [(4, "count-differs")]),
    (spoiled("waves: 2", "waves: many"), [(5, "count-differs")]),
    (spoiled("**Goal:** Users can sign in", "**Goal:** Users can leave"), [(10, "said-twice")]),
    (spoiled("# Phase 2: Sign in", "# Phase 3: Sign in"), [(8, "said-twice")]),
    (spoiled("## Success", "## Risks\n\nMany.\n\n## Success"), [(SUCCESS, "not-read")]),
    (
        spoiled("**Depends on:** Task 1", "**Depend on:** Task 1\n**Depends on:** Task 1"),
        [(T2 + 3, "not-read")],
    ),
    (
        spoiled("**Check type:** behavioral", "**Check type:** behavioral\n**Select:** a"),
        [(BLOCK_3 + 2, "not-read")],
    ),
    (spoiled("---\n\n## Task 1", "**Owner:** me\n\n## Task 1"), [(13, "not-read")]),
    (spoiled("**Check type:** command-exit", "**Check type:** tests"), [(BLOCK_2 + 2, "not-read")]),
]


@pytest.mark.parametrize(("plan", "expected"), WARNINGS)
def test_what_was_assumed_is_a_warning_with_its_line(plan: str, expected: list[tuple[int, str]]) -> None:
    made = compiled(plan)

    assert (made.gaps, places(made.warnings)) == ((), expected)


def test_what_a_translation_changed_is_a_warning() -> None:
    made = compiled(spoiled("`npx tsc --noEmit`", "`ls src/auth.ts`"))

    assert (made.gaps, places(made.warnings)) == ((), [(BLOCK_2 + 2, "translated-command")])


def test_the_tables_hold_every_code_but_those_of_unreadable_files_and_refreshing() -> None:
    named = {code for _, found in GAPS + WARNINGS for _, code in found}

    assert set(GapCode) - named == {
        *("too-large", "not-utf8", "translated-command"),
        *("task-left", "seal-dropped"),
        *("check-kept", "criterion-kept", "entry-kept", "file-kept"),
    }


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"x" * (MAX_PLAN + 1), (1, "too-large")), (b"a\nb\xff", (2, "not-utf8"))],
)
def test_what_is_no_text_is_one_gap(data: bytes, expected: tuple[int, str]) -> None:
    assert places(compile_plan(data, generated_at=NOW).gaps) == [expected]


WAYS: list[tuple[str, str, str, object]] = [
    ("## Task 2 — Wire", "## Task 2 - Wire", "title", "Wire the form"),
    ("## Task 2 — Wire", "## Task 2 – Wire", "title", "Wire the form"),
    ("## Task 2 — Wire", "## Task 2: Wire", "title", "Wire the form"),
    ("## Task 2 — Wire", "### Task 2 — `Wire` \\<b> &amp;", "title", "`Wire` <b> & the form"),
    ("**Depends on:** Task 1", "**Depends on:** T1", "depends_on", ["T1"]),
    ("**Depends on:** Task 1", "**Depends on**: `Task 1`", "depends_on", ["T1"]),
    ("**Depends on:** Task 1", "**Depends on:** None (Task 1 is apart)", "depends_on", []),
    ("src/page.tsx (modify)", "`a` (new file), `b` — add a line", "files_modify", ["b"]),
    ("src/page.tsx (modify)", "\n- `a, b` (create)\n- c/(d)/e (modify)\n", "files_create", ["a, b"]),
    ("**Files:** src/page.tsx (modify)", "**Files to delete:** a, `b`", "files_delete", ["a", "b"]),
    (
        "- The form posts",
        "- [ ] The form\n  posts\n  - twice",
        "acceptance_criteria",
        ["The form posts\n- twice"],
    ),
    ("- The form posts", "\n1. one\n2. two\n", "acceptance_criteria", ["one", "two"]),
    ("Add a server action.", "\n\nFirst.\n\n1. a\n2. b\n\n```\n# c\n```", "action", "First.\n- a\n- b\n# c"),
    ("Add a server action.", "Do\n---", "action", "Do"),
    ("Add a server action.", "Do\n\n**Context:** Read `@a b`, @c.", "context_files", ["a b", "c"]),
    ("- The form posts\n**Action:** Add", "- posts\n\n### Action\n\nAdd", "action", "Add a server action."),
    ("**Wave:** 2\n", "", "wave", 2),
]


@pytest.mark.parametrize(("old", "new", "field", "expected"), WAYS)
def test_a_task_may_be_written_in_other_ways(old: str, new: str, field: str, expected: object) -> None:
    plan = spoiled(old, new)

    assert compiled(plan).gaps == ()
    assert task(plan, 2)[field] == expected


CHECKS: list[tuple[str, dict[str, object]]] = [
    (
        "file-exists\n**Path:** `a`\n**Contains:** `b`",
        {"type": "file-exists", "path": "a", "must_contain": "b"},
    ),
    (
        "grep-match\n**Path:** `a`\n**Pattern:** `b|c`\n**Expect:** absent\n**Id:** `x`\n**Guard:** yes",
        {"type": "grep-match", "id": "x", "guard": True, "path": "a", "pattern": "b|c", "expect": "absent"},
    ),
    (
        "command-exit\n**Command:** `a 'b c'`\n**Exit code:** 3\n**Folder:** `d`\n**Timeout:** 2 s",
        {
            "type": "command-exit",
            "command": "a",
            "args": ["b c"],
            "expected_exit": 3,
            "cwd": "d",
            "timeout_ms": 2000,
        },
    ),
    (
        "command-exit\n**Command:**\n```bash\nnpx tsc\n```\n**Expected:** exit 0\n**Output matches:** `ok`",
        {
            "type": "command-exit",
            "command": "npx",
            "args": ["tsc"],
            "expected_exit": 0,
            "expect_stdout_match": "ok",
        },
    ),
    (
        "tests\n**Select:** `tests/a.py`, `b::c[d,e]`",
        {"type": "tests", "select": ["tests/a.py", "b::c[d,e]"]},
    ),
]


@pytest.mark.parametrize("heading", ["### Contract for Task 2 — x\n", "#### Contract for T2\n", ""])
@pytest.mark.parametrize(("block", "expected"), CHECKS)
def test_exact_labels_say_what_is_checked(heading: str, block: str, expected: dict[str, object]) -> None:
    """Without a heading the block belongs to the task it stands in."""
    start = PLAN.index("### Contract for Task 2")
    block = f"{heading}**Check type:** {block}\n"
    plan = (
        PLAN[:start] + block
        if heading
        else PLAN[:start].replace("\n---\n\n## Success", f"\n\n{block}\n## Success")
    )

    assert compiled(plan).gaps == ()
    assert task(plan, 2)["verification"] == [expected]


def test_precision_sections_become_precision_fields() -> None:
    plan = f"""{PLAN}
## Non-goals
- No new dependency (id: `N1`; dependencies: none-added; forbidden: `eval` in `src/**`, `lib/**`)
- Nothing else
## Stop Conditions
- All green (id: `S1`; proven by: `T1/check-1`)
## Definition of Done
It works.

And it is documented.
## Assumptions
none
## Out of Scope
- Mail
""".replace("---\n\n## Task 1", "**Ambiguity:** 3 of 10\n\n## Task 1")

    made = compiled(plan)

    assert (made.gaps, made.warnings) == ((), ())
    assert {name: made.contract[name] for name in list(made.contract)[9:]} == {
        "non_goals": [
            {
                "id": "N1",
                "description": "No new dependency",
                "dependencies": "none-added",
                "forbidden": [{"pattern": "eval", "paths": ["src/**", "lib/**"]}],
            },
            "Nothing else",
        ],
        "stop_conditions": [{"id": "S1", "description": "All green", "proven_by": ["T1/check-1"]}],
        "definition_of_done": "It works.\nAnd it is documented.",
        "assumptions": [],
        "out_of_scope": ["Mail"],
        "ambiguity_score": 3,
    }


def test_tasks_in_a_circle_have_no_order_and_break_a_rule() -> None:
    plan = spoiled("**Depends on:** none", "**Depends on:** Task 2").replace("**Wave:** 1\n", "")
    plan = plan.replace("**Wave:** 2\n", "")

    found = {(gap.code.value, gap.message.partition(":")[0]) for gap in compiled(plan).gaps}

    assert ("breaks-a-rule", "/tasks/0/depends_on/0") in found or (
        "breaks-a-rule",
        "/tasks/1/depends_on/0",
    ) in found


@pytest.mark.parametrize("text", ["a (id: b) c", "a (id: b", "a (identity)", "(id: b)"])
def test_only_brackets_at_the_end_make_an_object_of_a_criterion(text: str) -> None:
    assert compiled(spoiled("- [x] An error is shown", f"- {text}")).contract["success_criteria"] == [
        "A user lands on the dashboard",
        text,
    ]


def apart_from_the_hash(data: bytes) -> str:
    made = compile_plan(data, generated_at=NOW)
    return json.dumps([{**made.contract, "source_plan_hash": ""}, made.gaps, made.warnings])


LINES = st.lists(
    st.sampled_from(
        (
            *PLAN.split("\n"),
            *(
                "```",
                "~~~",
                "    ",
                "> **Wave:** 1",
                "- **Why:** x",
                "<!--",
                "-->",
                "**Evidence:**",
                "- `a` matches `b` — c",
            ),
            *(
                "**Files to create:** `a` (",
                "## Non-goals",
                "(id: `",
                "- x (id: `a`; forbidden: ; guard)",
                "\t- a",
                "``",
                "\\",
            ),
            *(
                "**Done when:**",
                "**Validation:**",
                "- `ls` → `a`",
                "...",
                "goal: >",
                "  a",
                "====",
                "&#0;&#55296;&#9999999;",
            ),
        )
    ),
    max_size=40,
).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")) | LINES.map(str.encode))
def test_any_bytes_give_one_answer(data: bytes) -> None:
    """A plan is written by others: a crash, or another answer the next time, would be ours."""
    made = compile_plan(data, generated_at=NOW)

    assert made == compile_plan(data, generated_at=NOW)
    assert made.contract["source_plan_hash"] == digest(data)
    text_lines = data.count(b"\n") + data.count(b"\r") + 1
    assert all(1 <= gap.line <= text_lines for gap in made.gaps + made.warnings)
    assert made.gaps or check_contract(msgspec.convert(made.contract, Contract), ContractPolicy.SEED) == ()


@settings(max_examples=40, deadline=None)
@given(LINES)
def test_line_endings_and_byte_order_marks_change_nothing(plan: str) -> None:
    data = plan.encode()

    assert apart_from_the_hash(data.replace(b"\n", b"\r\n")) == apart_from_the_hash(data)
    assert apart_from_the_hash(b"\xef\xbb\xbf" + data) == apart_from_the_hash(data)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PLAN.split("\n")), max_size=12), st.sampled_from(("```", "~~~~", "````md")))
def test_a_fence_hides_headings_and_labels(lines: list[str], fence: str) -> None:
    """Plans quote plans; what is quoted is not planned."""
    quoted = "\n".join((fence, *lines, fence.rstrip("md")))
    plan = spoiled("---\n\n## Task 1", f"{quoted}\n\n---\n\n## Task 1")

    assert compiled(plan).contract == {**compiled(PLAN).contract, "source_plan_hash": digest(plan.encode())}


def test_a_large_plan_is_read_in_time() -> None:
    """Quadratic work would make a thousand tasks a denial of service."""
    count = 600
    tasks = "".join(
        f"## Task {n}\n**Depends on:** Task {n + 1}\n**Done when:** x\n"
        f"### Contract for Task {n}\n**Check type:** tests\n"
        for n in range(1, count)
    )

    made = compiled(f"# Phase 1\n**Goal:** g\n**Why this phase:** w\n{tasks}## Task {count}\n")

    assert task_waves(made.contract)[:1] == [count]
    assert [gap.code for gap in made.gaps] == ["no-success-criteria", "no-check", "no-acceptance-criteria"]


def task_waves(contract: Any) -> list[int]:
    return [task["wave"] for task in contract["tasks"]]
