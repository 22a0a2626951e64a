"""The page of a contract: everything is on it, and compiling it gives the contract back."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_view import HOSTILE, live, steers
from msgspec.structs import replace

from signoff.contracts.compile.plan_reader import compile_plan
from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.pages.contract_page import contract_page
from signoff.contracts.rules.format_rules import check_contract
from signoff.domain.base.violations import Severity
from signoff.domain.work.contract import Contract, ContractPolicy, GeneratedBy
from signoff.text.json.canonical import digest
from signoff.text.repo_paths import plain

NOW = "2026-01-01T00:00:00Z"

AWKWARD = (
    *(
        "`",
        "``",
        "`a`",
        "``a`b``",
        "\\",
        "\\`",
        "\\\\",
        "**Goal:** x",
        "**Action:**",
        "*",
        "_a_",
        "|",
        "a | b",
    ),
    *(
        "<b>",
        "<!-- x -->",
        "&lt;",
        "&amp;",
        "&#10;",
        "&",
        "[x](y)",
        "[x]: y",
        "[ ] a",
        "# h",
        "x #",
        "## Task 9 — z",
    ),
    *(
        "- a",
        "1. a",
        "12) a",
        "> q",
        "```",
        "~~~",
        "---",
        "===",
        "    code",
        "a\nb",
        "a\n\nb",
        "\na",
        "a\n",
        "\r",
        "\t",
    ),
    *(
        " a ",
        "  ",
        '""',
        "none",
        "None",
        "nothing",
        "—",
        "-",
        "a (id: b)",
        "`(id: c)`",
        "`x (id: y` z)",
        "; x",
        "a; b",
        "a, b",
        "@a",
    ),
    *(
        "/re/",
        " — ",
        "matches x",
        "a → b",
        "é\u2028\u0085\u00a0\u200b\ufeff\u202e\x9b",
        "\0",
        "'",
        '"',
        "(new)",
        "a (new)",
        "a.",
        "$`x`",
    ),
)
PARTS = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
TEXT = st.lists(PARTS, min_size=1, max_size=3).map("".join)
FILLED = TEXT.map(lambda text: f"x{text}")
TEXTS = st.lists(TEXT, max_size=2)
SOME = st.lists(TEXT, min_size=1, max_size=2)

EVIDENCE = st.fixed_dictionaries(
    {"path": st.sampled_from(("src/a.py", "a b/(c).ts", "`", "@x")), "description": TEXT},
    optional={
        "matcher": st.sampled_from(("a", "/", "a/ — b/", "\\(\\d+", "`", "\n", " x ", "[|]", "matches"))
    },
)
SHARED = {"id": TEXT, "guard": st.booleans()}
CHECK: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("file-exists"), "path": FILLED}, optional={**SHARED, "must_contain": TEXT}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("grep-match"),
            "path": FILLED,
            "pattern": FILLED,
            "expect": st.sampled_from(("present", "absent")),
        },
        optional=SHARED,
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("command-exit"),
            "command": st.sampled_from(("pytest", "./run.sh", "a-b")),
            "args": st.lists(TEXT.filter(lambda text: "\0" not in text), max_size=3),
            "expected_exit": st.integers(-9, 255),
        },
        optional={
            **SHARED,
            "cwd": FILLED,
            "timeout_ms": st.integers(1, 10**6),
            "expect_stdout_match": TEXT,
            "once": st.booleans(),
        },
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("behavioral"),
            "description": TEXT,
            "evidence_required": st.lists(EVIDENCE, min_size=1, max_size=2),
        },
        optional=SHARED,
    ),
    st.fixed_dictionaries({"type": st.just("tests")}, optional={**SHARED, "select": TEXTS}),
)
CRITERION = TEXT | st.fixed_dictionaries(
    {"id": TEXT, "description": TEXT},
    optional={
        "verification_method": st.sampled_from(("manual", "unit-test", "build")),
        "required": st.booleans(),
        "proven_by": SOME,
        "guard": st.booleans(),
    },
)
NON_GOAL = TEXT | st.fixed_dictionaries(
    {"id": TEXT, "description": TEXT},
    optional={
        "untouched": SOME,
        "dependencies": st.sampled_from(("none-added", "unchanged")),
        "exports": SOME,
        "forbidden": st.lists(
            st.fixed_dictionaries({"pattern": TEXT}, optional={"paths": SOME}), min_size=1, max_size=2
        ),
    },
)
STOP = TEXT | st.fixed_dictionaries({"id": TEXT, "description": TEXT}, optional={"proven_by": SOME})


@st.composite
def tasks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Give tasks that break no rule: each a wave of its own, after those it depends on."""
    numbers = draw(st.lists(st.sampled_from(("1", "2", "03", "40")), min_size=1, max_size=2, unique=True))
    made: list[dict[str, Any]] = []
    for wave, number in enumerate(numbers, 1):
        files = draw(st.lists(FILLED, max_size=4, unique_by=plain))
        made.append(
            {
                "id": f"T{number}",
                "title": draw(TEXT | st.just("")),
                "wave": wave,
                "depends_on": [task["id"] for task in made if draw(st.booleans())],
                "persona": draw(st.sampled_from(("none", "data", "ux"))),
                "files_modify": files[:2],
                "files_create": files[2:3],
                "files_delete": files[3:],
                "acceptance_criteria": draw(SOME),
                "action": draw(TEXT | st.just("")),
                "context_files": draw(TEXTS),
                "verification": draw(st.lists(CHECK, min_size=1, max_size=2)),
            }
        )
    return made


CONTRACTS = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "phase": st.integers(1, 99),
        "goal": FILLED,
        "why": TEXT | st.just(""),
        "generated_at": st.just(NOW),
        "generated_by": st.just("manual"),
        "tasks": tasks(),
        "success_criteria": st.lists(CRITERION, min_size=1, max_size=2),
    },
    optional={
        "non_goals": st.lists(NON_GOAL, max_size=2),
        "stop_conditions": st.lists(STOP, max_size=2),
        "definition_of_done": TEXT | st.just(""),
        "assumptions": TEXTS,
        "out_of_scope": TEXTS,
        "ambiguity_score": st.integers(0, 10),
        "spec_changes": TEXTS,
        "guards": TEXTS,
        "seal": st.just("sha256:0"),
    },
)
OF_THE_FILE = ("generated_at", "generated_by", "source_plan_hash", "seal")


def compiled(page: str) -> tuple[Contract, list[str]]:
    made = compile_plan(page.encode(), generated_at=NOW)
    return msgspec.convert(made.contract, Contract), [gap.message for gap in made.gaps]


def as_compiled(contract: Contract, page: str) -> Contract:
    return replace(
        contract, generated_by=GeneratedBy.COMPILE_PLAN, source_plan_hash=digest(page.encode()), seal=""
    )


def said(document: Mapping[str, object]) -> dict[str, object]:
    """Give every field of the file, the empty ones too; within them, a default is as good as nothing."""
    contract = msgspec.convert(document, Contract)
    return {name: getattr(contract, name) for name in document if name not in OF_THE_FILE}


@settings(max_examples=100, deadline=None)
@given(CONTRACTS)
def test_compiling_the_page_gives_the_contract_back(document: dict[str, Any]) -> None:
    """What a person edits on the page would otherwise change what they did not touch."""
    contract = msgspec.convert(document, Contract)
    page = contract_page(contract, document)
    errors = [v for v in check_contract(contract, ContractPolicy.STRICT) if v.severity is Severity.ERROR]

    back = compile_plan(page.encode(), generated_at=NOW)

    assert said(back.contract) == said(document)
    assert errors or not back.gaps


EMPTY: dict[str, object] = {
    "non_goals": [],
    "stop_conditions": [],
    "definition_of_done": "",
    "assumptions": [],
    "out_of_scope": [],
    "spec_changes": [],
    "guards": [],
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_field_comes_back_where_it_was_given(name: str) -> None:
    """An empty list says that somebody thought about it, and a missing one asks for that again."""
    contract = simple()
    given_, left_out = contract_page(contract, {name: EMPTY[name]}), contract_page(contract, ())

    assert compile_plan(given_.encode(), generated_at=NOW).contract[name] == EMPTY[name]
    assert name not in compile_plan(left_out.encode(), generated_at=NOW).contract


def test_an_empty_list_in_the_other_spelling_was_given_as_well() -> None:
    page = contract_page(simple(), {"outOfScope": []})

    assert "\n## Out of Scope\n\nnone\n" in page


def test_the_page_of_a_strict_contract_with_empty_lists_compiles_to_one() -> None:
    """Otherwise who edits the page of a sealed contract is asked for what it had said."""
    plan = """---
phase: 1
ambiguity_score: 0
---
# Phase 1
**Goal:** A basket has a total
**Why this phase:** Customers ask for it.
## Task 1 — Add it up
**Wave:** 1
**Files:** `src/a.py` (new)
**Acceptance Criteria:**
- The total of 199 and 250 cents is 449 cents
## Success Criteria
- The total of 199 and 250 cents is 449 cents (id: `C1`; proven by: `T1/check-1`)
- An empty basket has a total of 0 cents (id: `C2`; proven by: `T1/check-1`)
- A basket of one has the total of its price (id: `C3`; proven by: `T1/check-1`)
## Non-goals
- No new dependencies
## Stop conditions
- The test suite passes with the new tests in it
## Definition of done
A basket prints its total in euros below its last line.
## Assumptions
none
## Out of scope
- none
### Contract for Task 1
**Check type:** command-exit
**Command:** `pytest -q`
**Expected:** exit 0
"""
    before = compile_plan(plan.encode(), generated_at=NOW).contract
    assert judge_contract(msgspec.json.encode(before)).violations == ()

    page = contract_page(msgspec.convert(before, Contract), before)
    after = compile_plan(page.encode(), generated_at=NOW).contract

    assert judge_contract(msgspec.json.encode(after)).violations == ()


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_forges_a_line_of_the_page(text: str) -> None:
    """A goal that ends its line could say what the next section holds."""

    def page(words: str) -> str:
        return contract_page(
            simple(
                goal=words,
                why=words,
                success_criteria=[words, {"id": words, "description": words, "proven_by": [words]}],
                assumptions=[words],
            )
        )

    made = page(text)

    assert made.count("\n") == page("x").count("\n")
    assert live(made) == []
    assert steers(made) == []


def simple(**changes: object) -> Contract:
    task = {
        "id": "T1",
        "title": "Read the file",
        "wave": 1,
        "files_create": ["src/a.py"],
        "acceptance_criteria": ["`a` reads"],
        "action": "Write it.\n- then test",
        "context_files": ["README.md"],
        "verification": [
            {"type": "command-exit", "command": "pytest", "args": ["-q", "it's"], "expected_exit": 0}
        ],
    }
    plain: dict[str, object] = {
        "version": 1,
        "phase": 3,
        "goal": 'A "goal"',
        "why": "Because",
        "generated_at": NOW,
        "generated_by": "manual",
        "tasks": [task],
        "success_criteria": [{"id": "C1", "description": "It reads", "proven_by": ["T1/check-1"]}],
    }
    return msgspec.convert({**plain, **changes}, Contract)


@pytest.mark.parametrize("text", AWKWARD)
def test_an_awkward_text_survives_wherever_it_stands(text: str) -> None:
    """Each place is read by code of its own, and each has texts it could take for its own marks."""
    behind = {"id": text, "description": text, "proven_by": [text, text]}
    contract = simple(
        goal=text,
        why=text,
        success_criteria=[text, behind],
        non_goals=[
            text,
            {"id": text, "description": text, "forbidden": [{"pattern": text, "paths": [text]}]},
        ],
        stop_conditions=[text, behind],
        definition_of_done=text,
        assumptions=[text],
        out_of_scope=[text],
        spec_changes=[text],
        guards=[text],
    )
    page = contract_page(contract)

    assert compiled(page)[0] == as_compiled(contract, page)


def test_the_page_reads_like_a_plan() -> None:
    """A page only a program can read would be no page."""
    assert (
        contract_page(simple())
        == """---
phase: 3
goal: "A \\"goal\\""
tasks: 1
waves: 1
---

# Phase 3

**Goal:** A "goal"
**Why this phase:** Because

---

## Task 1 — Read the file

**Wave:** 1
**Depends on:** none
**Files to create:** `src/a.py`
**Context:** Read `@README.md`

**Acceptance Criteria:**

- `a` reads

**Action:**

Write it.

\\- then test

## Success Criteria

- [ ] It reads (id: `C1`; proven by: `T1/check-1`)

## Verification Contract

### Contract for Task 1 — Read the file

**Check type:** command-exit
**Command:** `pytest -q 'it'"'"'s'`
**Exit code:** 0
**Timeout:** 30000 ms
"""
    )


@pytest.mark.parametrize("text", ["<script>x</script>", "![x](https://example.org/y)", "a <img src=x>"])
def test_hostile_text_is_shown_and_not_run(text: str) -> None:
    """A page is opened in viewers that fetch images and run what they are given."""
    page = contract_page(simple(goal=text, success_criteria=[text], assumptions=[text]))

    assert text not in page
    assert not [n for n in range(len(page)) if page[n] in "<[" and page[n - 1] != "\\" and page[n + 1] != " "]
