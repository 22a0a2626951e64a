"""A plan that compiles without a gap or a warning, and ways to spoil it."""

from signoff.contracts.compile.plan_gaps import Compiled, PlanGap
from signoff.contracts.compile.plan_reader import compile_plan

NOW = "2026-01-01T00:00:00Z"

PLAN = """---
phase: 2
goal: "Users can sign in"
tasks: 2
waves: 2
---

# Phase 2: Sign in

**Goal:** Users can sign in
**Why this phase:** Nobody stays without it.

---

## Task 1 — Add the handler
**Wave:** 1
**Persona:** backend
**Files:** `src/auth.ts` (modify), `src/schema.ts` (new), `src/old.ts` (delete)
**Depends on:** none
**Why:** Sessions start here.

**Acceptance Criteria:**
- POST `/signin` returns 200
- POST `/signin` returns 401 otherwise

**Action:**
Validate with a schema,
then set the cookie.

**Context:** Read @src/client.ts @src/server.ts

---

## Task 2 — Wire the form
**Wave:** 2
**Files:** src/page.tsx (modify)
**Depends on:** Task 1
**Acceptance Criteria:**
- The form posts
**Action:** Add a server action.

---

## Success Criteria
- [ ] A user lands on the dashboard
- [x] An error is shown

## Verification Contract

### Contract for Task 1 — Add the handler
**Check type:** file-exists
**Command:** `test -f src/schema.ts && echo EXISTS`
**Expected:** `EXISTS`
**Fail if:** the file is missing

### Contract for Task 1 — Add the handler (wiring)
**Check type:** command-exit
**Command:** `npx tsc --noEmit`
**Expected:** exit 0
**Fail if:** it exits non-zero

### Contract for Task 2 — Wire the form
**Check type:** behavioral
**Expected:** Valid credentials lead to the dashboard
**Evidence:**
- `src/page.tsx` /redirect\\(['"]/ — the redirect
- `src/page.tsx` — the form is wired
"""


def compiled(plan: str) -> Compiled:
    return compile_plan(plan.encode(), generated_at=NOW)


def spoiled(old: str, new: str) -> str:
    assert PLAN.count(old) == 1, old
    return PLAN.replace(old, new)


def line_of(text: str, plan: str = PLAN) -> int:
    """Give the line on which this text begins."""
    return plan[: plan.index(text)].count("\n") + 1


def places(gaps: tuple[PlanGap, ...]) -> list[tuple[int, str]]:
    assert all(gap.message for gap in gaps)
    return [(gap.line, gap.code.value) for gap in gaps]
