"""`signoff contract` as a person and a script use it."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench, contract

PLAN = """---
phase: 1
goal: "The repository greets whoever opens it"
why: "A greeting was asked for in the ticket"
ambiguity_score: 1
---

# Phase 1: A greeting

## Task 1 — Write the greeting

**Wave:** 1
**Files:** `hello.txt` (new)
**Depends on:** none

**Acceptance Criteria:**
- `hello.txt` holds the word hello

**Action:** Write the word hello into `hello.txt`.

## Success Criteria

- [ ] Opening the repository shows a file that says hello

## Verification Contract

### Contract for Task 1 — Write the greeting

**Check type:** file-exists
**Command:** `test -f hello.txt && echo EXISTS`
**Expected:** EXISTS
**Fail if:** the file is missing
"""


def write(bench: Bench, name: str, document: object) -> Path:
    path = bench.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))
    return path


def sprint(**changes: object) -> dict[str, Any]:
    criteria = [
        {
            "criterionId": f"sc-1-{n}",
            "description": f"Opening /greeting/{n} shows the word hello",
            "verificationMethod": method,
            "required": True,
        }
        for n, method in enumerate(("build", "unit-test", "api-check"), start=1)
    ]
    return {
        "contractId": "sprint-s-1",
        "specId": "s",
        "sprintNumber": 1,
        "title": "A greeting",
        "description": "The service greets whoever opens it",
        "status": "proposed",
        "dependsOn": [],
        "features": ["feat-1"],
        "successCriteria": criteria,
        "nonGoals": ["Do not add new dependencies"],
        "stopConditions": ["All required success criteria pass evaluation"],
        "definitionOfDone": "Opening the service greets the visitor by name",
        "assumptions": [],
        "outOfScope": [],
        "ambiguityScore": 1,
        "generatorNotes": "See src/app.ts",
        "evaluatorNotes": "Open /greeting",
        "team": "kept",
        **changes,
    }


# --- check ---


def test_a_precise_contract_is_valid(bench: Bench) -> None:
    said = bench("contract", "check", write(bench, "c.json", contract()), "--json")

    assert said.code == 0, said.out
    assert said.document["ok"] is True
    assert said.document["drift"] is None


def test_all_violations_come_at_once_with_pointers_and_lines(bench: Bench) -> None:
    broken = contract(non_goals=[], definition_of_done="TBD", goal=" ")
    broken["tasks"][1]["id"] = "T1"

    said = bench("contract", "check", write(bench, "c.json", broken), "--json")

    assert said.code == 1
    found = {(v["rule"], v["path"]) for v in said.document["violations"] if v["severity"] == "error"}
    assert {(1, "/tasks/1/id"), (None, "/non_goals"), (None, "/definition_of_done"), (None, "/goal")} <= found
    keys = {"code", "severity", "rule", "path", "line", "message", "fix"}
    assert all(set(violation) == keys and violation["line"] for violation in said.document["violations"])


def test_the_seed_policy_asks_for_the_numbered_rules_alone(bench: Bench) -> None:
    bare = contract()
    for task in bare["tasks"]:
        for name in ("depends_on", "files_modify", "files_delete", "acceptance_criteria", "context_files"):
            task[name] = []
    for name in ("non_goals", "stop_conditions", "definition_of_done", "ambiguity_score"):
        del bare[name]
    path = write(bench, "c.json", {**bare, "unknown": 1})

    assert bench("contract", "check", path, "--policy", "seed", "--json").document["violations"] == []
    assert bench("contract", "check", path).code == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("deep", b'{"a":' * 5_000 + b"1" + b"}" * 5_000),
        ("huge", b'{"a": "' + b"x" * 10_000_000 + b'"}'),
        ("not-utf8", b'{"goal": "\xff"}'),
        ("duplicate", b'{"version": 1, "version": 1}'),
        ("nan", b'{"version": NaN}'),
        ("not-json", b"version: 1"),
        ("empty", b""),
    ],
)
@pytest.mark.parametrize("words", [("contract", "check"), ("spec", "check"), ("check", "run")])
def test_what_readers_disagree_on_is_exit_2_with_a_reason(
    bench: Bench, words: tuple[str, str], name: str, data: bytes
) -> None:
    path = bench.root / f"{name}.json"
    path.write_bytes(data)

    said = bench(*words, path, "--json")

    assert said.code == 2
    assert said.document.get("violations") or said.document["error"]["why"]
    assert "Traceback" not in said.err


def test_a_wrong_shape_hides_no_broken_rule(bench: Bench) -> None:
    broken = contract(success_criteria=[])
    broken["tasks"][0]["wave"] = "first"
    broken["tasks"][1] |= {"id": "T1", "depends_on": ["T9"], "verification": [{"type": "bogus"}]}
    del broken["tasks"][0]["verification"]

    found = bench("contract", "check", write(bench, "c.json", broken), "--json").document["violations"]

    assert {1, 3, 6, 9} <= {violation["rule"] for violation in found}
    assert {"wrong-type", "unknown-tag", "missing-field"} <= {violation["code"] for violation in found}


@pytest.mark.parametrize(
    "name", ["depends_on", "files_delete", "acceptance_criteria", "action", "context_files"]
)
def test_the_format_asks_for_fields_that_ours_may_leave_out(bench: Bench, name: str) -> None:
    full = contract()
    for task in full["tasks"]:
        for field in ("depends_on", "files_modify", "files_delete", "acceptance_criteria", "context_files"):
            task[field] = []
    path = write(bench, "c.json", full)
    assert bench("contract", "check", path, "--policy", "seed").code == 0

    del full["tasks"][0][name]
    said = bench("contract", "check", write(bench, "c.json", full), "--policy", "seed", "--json")

    assert (said.code, said.document["violations"][0]["path"]) == (1, f"/tasks/0/{name}")
    assert bench("contract", "check", path).code == 0


def test_a_path_that_leaves_through_a_link_is_an_escape(bench: Bench) -> None:
    (bench.root / "out").symlink_to("/etc")
    (bench.root / "in").symlink_to(".")
    document = contract()
    document["tasks"][0]["context_files"] = ["out/passwd", "in/README", "nowhere/x"]

    said = bench("contract", "check", write(bench, "c.json", document), "--json")

    errors = [(v["code"], v["path"]) for v in said.document["violations"] if v["severity"] == "error"]
    assert errors == [("path-escape", "/tasks/0/context_files/0")]


def test_a_missing_file_is_exit_2_and_another_shape_exit_1(bench: Bench) -> None:
    assert bench("contract", "check", "nowhere.json").code == 2
    assert bench("contract", "check", write(bench, "list.json", [1])).code == 1
    assert bench("contract", "check", "-", stdin=json.dumps(contract()).encode()).code == 0


def test_a_sprint_contract_is_judged_in_its_own_words(bench: Bench) -> None:
    path = write(
        bench, "s.json", sprint(nonGoals=["Auto-generated contract: fill in"], stopConditions=["When done"])
    )

    said = bench("contract", "check", path, "--json")

    assert said.code == 1
    assert said.document["kind"] == "sprint"
    assert {"/nonGoals/0", "/stopConditions/0"} <= {v["path"] for v in said.document["violations"]}
    assert bench("contract", "check", write(bench, "s.json", sprint())).code == 0


def test_sprints_of_a_folder_are_judged_together(bench: Bench) -> None:
    second = {"contractId": "sprint-s-2", "sprintNumber": 2}
    write(bench, ".bober/contracts/1.json", sprint())
    (bench.root / ".bober/contracts/large.json").write_bytes(b" " * 2_000_000)
    path = write(bench, ".bober/contracts/2.json", sprint(**second, dependsOn=["sprint-s-1"]))
    assert bench("contract", "check", path).code == 0

    write(bench, ".bober/contracts/2.json", sprint(**second, dependsOn=["sprint-s-9"]))
    said = bench("contract", "check", path, "--json")

    assert said.code == 1
    assert [v["path"] for v in said.document["violations"] if v["severity"] == "error"] == ["/dependsOn/0"]


def test_a_cycle_and_a_doubled_number_are_told_for_each_file_that_has_them(bench: Bench) -> None:
    first = write(bench, ".bober/contracts/1.json", sprint(dependsOn=["sprint-s-2"]))
    second = {"contractId": "sprint-s-2", "sprintNumber": 1, "dependsOn": ["sprint-s-1"]}
    paths = (first, write(bench, ".bober/contracts/2.json", sprint(**second)))

    for path in paths:
        codes = {v["code"] for v in bench("contract", "check", path, "--json").document["violations"]}
        assert {"sprint-cycle", "duplicate-sprint-number"} <= codes, path


# --- seal and drift ---


def test_a_sealed_contract_that_was_changed_is_refused_everywhere(bench: Bench) -> None:
    path = write(bench, "c.json", contract())
    assert bench("contract", "seal", path, "--json").document["seal"].startswith("sha256:")
    assert bench("contract", "check", path).code == 0

    document = json.loads(path.read_text())
    document["tasks"][0]["verification"][0]["must_contain"] = "h"
    write(bench, "c.json", document)

    for action in ("check", "show", "verify"):
        said = bench("contract", action, path, "--json")
        assert said.code == 2, action
        assert "seal-broken" in said.out
    assert bench("contract", "compile", write(bench, "plan.md", PLAN), "-o", path, "--refresh").code == 2


def test_a_broken_seal_is_mended_only_by_somebody_who_means_it(bench: Bench) -> None:
    path = write(bench, "c.json", contract())
    bench("contract", "seal", path)
    path.write_text(path.read_text().replace("goodbye", "good night"))

    assert bench("contract", "seal", path).code == 2
    assert bench("contract", "seal", path, "--again").code == 0
    assert bench("contract", "check", path).code == 0


def test_only_a_contract_that_keeps_the_rules_is_sealed(bench: Bench) -> None:
    path = write(bench, "c.json", contract(non_goals=[]))
    before = path.read_bytes()

    assert bench("contract", "seal", path).code == 1
    assert path.read_bytes() == before


def test_a_plan_that_drifted_stops_check_and_verify(bench: Bench) -> None:
    plan = write(bench, ".planning/phase-1-plan.md", PLAN)
    path = bench.root / ".planning/phase-1-contract.json"
    assert bench("contract", "compile", plan, "-o", path).code == 0
    assert (
        bench("contract", "check", path, "--policy", "seed", "--plan", plan, "--json").document["drift"]
        is False
    )

    plan.write_text(PLAN + "\nOne more thing.\n")

    said = bench("contract", "check", path, "--policy", "seed", "--plan", plan, "--json")
    assert (said.code, said.document["drift"]) == (2, True)
    assert bench("contract", "verify", path).code == 2
    assert bench("contract", "compile", plan, "--refresh").code == 0
    assert bench("contract", "check", path, "--policy", "seed", "--plan", plan).code == 0


def test_a_contract_without_a_plan_hash_is_warned_about_and_passes(bench: Bench) -> None:
    said = bench(
        "contract",
        "check",
        write(bench, "c.json", contract()),
        "--plan",
        write(bench, "p.md", PLAN),
        "--json",
    )

    assert (said.code, said.document["drift"]) == (0, None)
    assert "plan-hash-missing" in [v["code"] for v in said.document["violations"]]


def test_drift_is_noticed_however_the_contract_is_spelt(bench: Bench) -> None:
    plan, wrong = write(bench, "p.md", PLAN), "sha256:" + "0" * 64
    path = write(bench, "c.json", {**contract(), "sourcePlanHash": wrong})

    said = bench("contract", "check", path, "--plan", plan, "--json")

    assert (said.code, said.document["drift"]) == (2, True)
    assert bench("contract", "verify", path, "--plan", plan).code == 2


def test_compiling_does_not_throw_a_sealed_contract_away(bench: Bench) -> None:
    path = write(bench, "c.json", contract())
    bench("contract", "seal", path)
    before = path.read_bytes()

    said = bench("contract", "compile", write(bench, "plan.md", PLAN), "-o", path, "--json")

    assert (said.code, said.document["error"]["slug"]) == (2, "contract-sealed")
    assert path.read_bytes() == before


def test_only_a_regular_file_is_written_over(bench: Bench) -> None:
    os.mkfifo(bench.root / "pipe")

    assert bench("contract", "compile", write(bench, "plan.md", PLAN), "-o", "pipe").code == 2
    assert stat.S_ISFIFO((bench.root / "pipe").stat().st_mode)


# --- compile and show ---


def test_a_plan_compiles_to_a_contract_that_verifies(bench: Bench) -> None:
    plan, path = write(bench, "plan.md", PLAN), bench.root / "c.json"

    said = bench("contract", "compile", plan, "-o", path, "--json")

    assert said.code == 0, said.err
    assert said.document["gaps"] == []
    assert said.document["contract"] == json.loads(path.read_text())
    assert bench("contract", "check", path, "--policy", "seed").code == 0
    assert bench("contract", "verify", path).code == 1
    write(bench, "hello.txt", "hello")
    assert bench("contract", "verify", path).code == 0


def test_compiling_twice_gives_the_same_bytes(bench: Bench) -> None:
    plan = write(bench, "plan.md", PLAN)

    assert bench("contract", "compile", plan).out == bench("contract", "compile", plan).out


def test_gaps_have_lines_and_nothing_is_written(bench: Bench) -> None:
    holes = PLAN.replace("`test -f hello.txt && echo EXISTS`", "`cat hello.txt | awk '{print $1}'`")
    plan = write(
        bench, "plan.md", holes.replace("**Check type:** file-exists", "**Check type:** command-exit")
    )

    said = bench("contract", "compile", plan, "-o", "c.json", "--json")

    assert said.code == 1
    (gap,) = said.document["gaps"]
    assert holes.split("\n")[gap["line"] - 1].startswith("**Command:**")
    assert not (bench.root / "c.json").exists()


def test_the_page_of_a_contract_compiles_back_to_it(bench: Bench) -> None:
    path = write(bench, "c.json", contract())
    page = bench("contract", "show", path).out

    back = bench("contract", "compile", write(bench, "page.md", page), "--json").document["contract"]

    ignored = ("generated_at", "generated_by", "source_plan_hash")
    assert json.loads(bench("contract", "show", write(bench, "b.json", back), "--format", "json").out)
    for name in ("goal", "why", "success_criteria", "non_goals", "stop_conditions", "definition_of_done"):
        assert back[name] == contract()[name]
    assert not set(contract()) - set(back) - set(ignored)


def test_a_sprint_goes_through_our_spelling_and_back_without_loss(bench: Bench) -> None:
    path = write(bench, "s.json", sprint())

    ours = bench("contract", "show", path, "--format", "json").document
    theirs = bench("contract", "show", write(bench, "o.json", ours), "--format", "seed").document

    assert ours["non_goals"] == sprint()["nonGoals"]
    assert theirs == sprint()
    assert "# Sprint 1: A greeting" in bench("contract", "show", path).out


# --- verify ---


def checks(*verification: dict[str, Any]) -> dict[str, Any]:
    return contract(
        tasks=[
            {
                "id": "T1",
                "title": "Say hello",
                "wave": 1,
                "files_create": ["hello.txt"],
                "verification": list(verification),
            }
        ],
        success_criteria=["Opening the repository shows hello"],
        stop_conditions=["Every check passes"],
    )


COMMAND = {"type": "command-exit", "args": [], "expected_exit": 0}


def test_three_outcomes_are_kept_apart(bench: Bench) -> None:
    path = write(
        bench,
        "c.json",
        checks(
            {**COMMAND, "id": "good", "command": "true"},
            {**COMMAND, "id": "bad", "command": "false"},
            {**COMMAND, "id": "gone", "command": "no-such-program"},
            {
                "type": "behavioral",
                "id": "shown",
                "description": "It greets",
                "evidence_required": [{"path": "README", "description": "the first line"}],
            },
        ),
    )

    said = bench("contract", "verify", path, "--json")

    assert said.code == 1
    assert said.document["verification_result"] == "fail"
    results = {c["id"]: (c["result"], c["failure_reason"]) for c in said.document["clauses"]}
    assert results == {
        "good": ("pass", None),
        "bad": ("fail", "verification-criteria-unmet"),
        "gone": ("partial", "verification-execution-error"),
        "shown": ("fail", "verification-evidence-missing"),
    }


def test_what_could_not_run_is_exit_5_and_citations_are_read_again(bench: Bench) -> None:
    evidence = [{"path": "README", "matcher": "tiny", "description": "the first line"}]
    shown = {"type": "behavioral", "id": "shown", "description": "It greets", "evidence_required": evidence}
    path = write(bench, "c.json", checks(shown, {**COMMAND, "id": "gone", "command": "no-such-program"}))
    cite = {"clause": "shown", "path": "README", "line": 1, "snippet": "A tiny repository"}

    told = bench("contract", "verify", path, "--citations", write(bench, "cite.json", [cite]), "--json")
    lied = write(bench, "lie.json", [{**cite, "snippet": "A large repository"}])

    assert told.code == 5
    assert told.document["clauses"][0]["result"] == "pass"
    assert bench("contract", "verify", path, "--citations", lied, "--json").code == 1


def test_results_are_keyed_to_tree_and_contract_and_written_beside_it(bench: Bench) -> None:
    path = write(bench, "c.json", checks({**COMMAND, "command": "true"}))
    digest = bench("contract", "check", path, "--json").document["digest"]

    first = bench("contract", "verify", path, "--json").document
    again = bench("contract", "verify", path, "--json").document
    write(bench, "new.txt", "x")
    later = bench("contract", "verify", path, "--json").document

    assert first["contract"] == digest
    assert first["tree"] == again["tree"] != later["tree"]
    assert json.loads((bench.root / "verification.json").read_text())["tree"] == later["tree"]
    assert "# Verification: pass" in (bench.root / "verification.md").read_text()


def test_one_task_can_be_verified_alone(bench: Bench) -> None:
    path = write(bench, "c.json", contract())
    write(bench, "hello.txt", "hello")

    said = bench("contract", "verify", path, "--task", "T1", "--json")

    assert (said.code, [c["id"] for c in said.document["clauses"]]) == (0, ["T1/file"])
    assert bench("contract", "verify", path, "--task", "T9").code == 2


def test_non_goals_are_compared_with_a_base_and_never_silently_satisfied(bench: Bench) -> None:
    bench.commit(shop_dot_py="x = 1\n")
    goals = ["Do not modify `shop.py`", "Do not make it confusing"]
    path = write(bench, "c.json", {**checks({**COMMAND, "command": "true"}), "non_goals": goals})
    (bench.root / "shop.py").write_text("x = 2\n")

    compared = bench("contract", "verify", path, "--json")
    bench.git("commit", "-qam", "work")
    without = bench("contract", "verify", path, "--json")

    assert [item["id"] for item in without.document["needs_review"]] == [
        "non-goal-1",
        "non-goal-2",
        "out-of-scope-1",
    ]
    assert bench("contract", "verify", path, "--base", "HEAD~1").code == 1
    assert compared.code == 1
    assert {c["id"]: c["result"] for c in compared.document["clauses"]}["non-goal-1"] == "fail"
    assert "non-goal-2" in [item["id"] for item in compared.document["needs_review"]]


def test_verifying_works_outside_a_repository_and_leaves_no_state_behind(
    bench: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "c.json").write_text(json.dumps(checks({**COMMAND, "command": "true"})))

    said = bench("contract", "verify", "c.json", cwd=folder)

    assert said.code == 0, said.err
    assert sorted(path.name for path in folder.iterdir()) == [
        "c.json",
        "verification.json",
        "verification.md",
    ]


def test_independent_checks_run_at_the_same_time(bench: Bench) -> None:
    """Each waits for the file of the other; one after the other they would wait for ever."""
    script = (
        "import os,sys,time\nopen(sys.argv[1],'w')\nwhile not os.path.exists(sys.argv[2]): time.sleep(.01)\n"
    )
    write(bench, "meet.py", script)
    pair = [("a", "b"), ("b", "a")]
    met = [
        {**COMMAND, "id": f"m{n}", "command": "python3", "args": ["meet.py", *p]} for n, p in enumerate(pair)
    ]

    assert bench("contract", "verify", write(bench, "c.json", checks(*met))).code == 0


def test_what_leans_on_nothing_that_runs_is_never_silently_satisfied(bench: Bench) -> None:
    criterion = {
        "id": "shown",
        "description": "Opening the repository shows hello",
        "proven_by": ["nobody/1"],
    }
    good = checks({**COMMAND, "id": "good", "command": "true"})
    lost = write(bench, "c.json", {**good, "success_criteria": [criterion]})
    manual = {**criterion, "id": "by-hand", "proven_by": []}
    leaning = write(
        bench, "d.json", {**good, "success_criteria": [manual, {**criterion, "proven_by": ["by-hand"]}]}
    )

    assert bench("contract", "verify", lost, "--json").document["error"]["slug"] == "contract-invalid"
    reviewed = bench("contract", "verify", leaning, "--json").document["needs_review"]
    assert {"by-hand", "shown"} <= {item["id"] for item in reviewed}


def test_a_check_that_changes_the_files_it_is_about_shows_nothing(bench: Bench) -> None:
    write(bench, "change.py", "open('README', 'w').write('another')\n")
    write(bench, "add.py", "open('made.txt', 'w').write('new')\n")
    run = {**COMMAND, "command": "python3"}

    added = bench("contract", "verify", write(bench, "c.json", checks({**run, "args": ["add.py"]})), "--json")
    said = bench(
        "contract", "verify", write(bench, "c.json", checks({**run, "args": ["change.py"]})), "--json"
    )

    assert (added.code, added.document["changed"]) == (0, ["made.txt"])
    assert (said.code, said.document["changed"]) == (5, ["README"])


def test_a_non_goal_does_not_find_its_own_words(bench: Bench) -> None:
    document = {**checks({**COMMAND, "command": "true"}), "non_goals": ["Do not use `eval()`"]}
    path = write(bench, "c.json", document)

    assert bench("contract", "verify", path, "--base", "HEAD").code == 0
    write(bench, "a.py", "eval(input())\n")
    assert bench("contract", "verify", path, "--base", "HEAD").code == 1


def test_a_contract_that_leaves_the_repository_is_not_run(bench: Bench) -> None:
    path = write(bench, "c.json", checks({"type": "file-exists", "path": "../secret"}))

    said = bench("contract", "verify", path, "--json")

    assert said.code == 2
    assert said.document["error"]["slug"] == "contract-invalid"


def test_a_secret_that_a_check_prints_is_not_written_down(bench: Bench) -> None:
    key = "ghp_" + "a1B2" * 9
    write(bench, "leak.py", f"import sys\nprint({key!r})\nsys.exit(1)\n")
    path = write(bench, "c.json", checks({**COMMAND, "command": "python3", "args": ["leak.py"]}))

    said = bench("contract", "verify", path, "--json")

    assert said.code == 1
    assert key not in said.out + (bench.root / "verification.json").read_text()


@pytest.mark.slow
def test_ctrl_c_ends_the_checks_with_everything_they_started(bench: Bench) -> None:
    path = write(
        bench, "c.json", checks({**COMMAND, "command": "sleep", "args": ["4711"], "timeout_ms": 60_000})
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "signoff", "contract", "verify", str(path)],
        cwd=bench.root,
        env=bench.env,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not sleepers() and time.monotonic() < deadline:
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=30) == 130
    assert not sleepers()
    assert not (bench.root / "verification.json").exists()


def sleepers() -> list[str]:
    found = subprocess.run(["pgrep", "-f", "^sleep 4711$"], capture_output=True, text=True, check=False)
    return found.stdout.split()


# --- words ---


@pytest.mark.parametrize(
    "words",
    [
        ("check", "c.json", "--task", "T1"),
        ("compile", "c.json", "--refresh"),
        ("verify", "-"),
        ("seal", "-"),
        ("verify", "c.json", "--base", "no-such-revision"),
        ("verify", "c.json", "--citations", "nowhere.json"),
        ("frobnicate", "c.json"),
        ("check",),
    ],
)
def test_words_that_make_no_sense_are_exit_2(bench: Bench, words: tuple[str, ...]) -> None:
    write(bench, "c.json", contract())

    said = bench("contract", *words, "--json", stdin=json.dumps(contract()).encode())

    assert said.code == 2
    assert said.document["error"]["what"]


def test_a_check_alone_is_run_and_judged(bench: Bench) -> None:
    for check, code in (
        ({"type": "file-exists", "path": "README"}, 0),
        ({"type": "file-exists", "path": "nowhere"}, 1),
        ({"type": "grep-match", "path": "*.none", "pattern": "x", "expect": "absent"}, 5),
        ({"type": "grep-match", "path": "README", "pattern": "(a+)+$", "expect": "present"}, 1),
        ({**COMMAND, "command": "sleep", "args": ["9"], "timeout_ms": 100}, 5),
        ({**COMMAND, "command": "true", "cwd": "no/folder"}, 5),
        ({**COMMAND, "command": "echo", "args": ["a && false"], "expect_stdout_match": "^a && false$"}, 0),
        ({**COMMAND, "command": "true", "cwd": "../.."}, 2),
        ({**COMMAND, "command": "true; false"}, 2),
        ({"type": "no-such-type"}, 2),
    ):
        said = bench("check", "run", "-", "--json", stdin=json.dumps(check).encode())
        assert said.code == code, (check, said.out)
        if code != 2:
            assert set(said.document) >= {"verification_result", "failure_reason", "receipt"}


def test_a_check_that_cannot_be_stopped_nicely_is_killed_with_its_children(bench: Bench) -> None:
    script = "trap '' INT TERM; sleep 4712 & sleep 4712; wait"
    write(bench, "stubborn.sh", script)
    check = {**COMMAND, "command": "sh", "args": ["stubborn.sh"], "timeout_ms": 300}

    said = bench("check", "run", "-", "--json", stdin=json.dumps(check).encode())

    assert (said.code, said.document["failure_reason"]) == (5, "verification-execution-error")
    left = subprocess.run(["pgrep", "-f", "^sleep 4712$"], capture_output=True, check=False)
    assert left.stdout == b"", os.environ["PATH"]
