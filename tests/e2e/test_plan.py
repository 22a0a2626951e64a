"""`signoff plan` ends with a contract; `run --contract` begins with one; personas; resets of caps."""

import json
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench, cassette, contract, plan, task

from signoff.contracts.files.document_files import has_errors, read_spec
from signoff.specs.spec_rules import check_spec


def tape(bench: Bench, *plans: dict[str, Any]) -> Path:
    """Lay out a recorded agent that proposes these plans in turn and then does the tiny ticket."""
    made = cassette()
    proposals = [
        {"key": f"plan/attempt-{n}/dispatch-1", "answer": answer} for n, answer in enumerate(plans, start=1)
    ]
    made["entries"] = [*(proposals or made["entries"][:1]), *made["entries"][1:]]
    path = bench.root.parent / "tape.json"
    path.write_text(json.dumps(made))
    return path


def test_a_plan_is_left_as_contract_and_spec_and_is_delivered_later_without_asking_again(
    bench: Bench,
) -> None:
    played = tape(bench)

    planned = bench("plan", bench.ticket(), "--cassette", played, "--yes", "--json")

    assert planned.code == 0, planned.err
    said = planned.document
    assert (said["outcome"], said["verdict"], said["certificate"], said["halt"]) == (
        "planned",
        None,
        None,
        None,
    )
    assert said["contract"] == contract()
    spec = read_spec(Path(said["spec_file"]).read_bytes())
    assert spec.value is not None
    assert not has_errors((*spec.violations, *check_spec(spec.value)))
    assert spec.value.status == "ready"
    assert spec.value.sprints == ("NOTE-1",)
    shown = bench("runs", "show", "latest", "--json").document
    assert [shown["steps"][name] for name in ("plan", "implement", "report")] == [
        "success",
        "skipped",
        "skipped",
    ]
    assert bench("report", "latest", "--verify", "--json").code == 1
    assert bench.git("for-each-ref", "refs/signoff/**/final") == ""
    assert bench("runs", "pin", "latest", bench.root.parent / "plan-pack").code == 0

    ran = bench("run", "--contract", said["contract_file"], "--cassette", played, "--json")

    assert (ran.code, ran.document["outcome"]) == (0, "signed-off"), ran.err
    assert bench("runs", "show", "latest", "--json").document["sealed"]["approver"] == "policy"
    pinned = bench("runs", "pin", "latest", bench.root.parent / "run-pack", "--json")
    assert pinned.code == 0, f"a replay begins with the same contract: {pinned.out}"
    changed = {**contract(), "why": "Somebody else asked for it"}
    Path(said["contract_file"]).write_text(json.dumps(changed))
    asked = bench("run", "--contract", said["contract_file"], "--cassette", played, "--json")
    assert (asked.code, asked.document["halt"]["code"]) == (3, "plan-approval")


def test_a_file_of_somebody_else_is_never_replaced(bench: Bench) -> None:
    played = tape(bench)
    folder = bench.root / ".signoff" / "contracts"
    folder.mkdir(parents=True)
    (folder / "NOTE-1.json").write_text("mine\n")

    planned = bench("plan", bench.ticket(), "--cassette", played, "--yes", "--json")
    again = bench("runs", "resume", "latest", "--json")

    assert planned.code == 0
    assert (folder / "NOTE-1.json").read_text() == "mine\n"
    assert Path(planned.document["contract_file"]).name == "NOTE-1-2.json"
    assert planned.document["spec"]["spec_id"] == "NOTE-1-2"
    assert again.document["contract_file"] == planned.document["contract_file"]
    assert len(list(folder.iterdir())) == 2


def test_open_questions_wait_for_a_person_and_answers_come_from_a_file(bench: Bench) -> None:
    asking = plan(open_questions=["Which language?", "Which case?"])
    deaf = plan()
    heard = plan(assumptions=["Q1: English", "Q2 means lower case"])
    played = tape(bench, asking, deaf, heard)

    waits = bench("plan", bench.ticket(), "--cassette", played, "--yes", "--json")

    assert (waits.code, waits.document["spec"], waits.document["contract"]) == (3, None, None)
    assert [halt["code"] for halt in waits.document["halts"]] == ["needs-clarification"] * 2
    assert "Q1: Which language?" in waits.document["halt"]["question"]
    some = json.dumps({"Q1": "English", "Q7": "x"}).encode()
    unknown = bench("answer", "latest", "--file", "-", "--json", stdin=some)
    assert (unknown.code, unknown.document["error"]["slug"]) == (2, "halt-unknown")
    both = json.dumps({"Q1": "English", "Q2": "lower"}).encode()

    ended = bench("answer", "latest", "--file", "-", "--resume", "--json", stdin=both)

    assert (ended.code, ended.document["outcome"]) == (0, "planned"), ended.err
    told = ended.document["spec"]
    assert [one["question"] for one in told["clarification_questions"]] == ["Which language?", "Which case?"]
    assert [one["answer"] for one in told["resolved_clarifications"]] == ["English", "lower"]
    shown = bench("runs", "show", "latest", "--json").document
    assert [one["key"] for one in shown["dispatches"]][2:] == ["plan/attempt-3/dispatch-1"]


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (("--contract", "no.json", "--prompt", "x"), "usage"),
        (("--next",), "usage"),
        (("--contract", "README"), "contract-unreadable"),
        (("ticket.md", "--spec", "x"), "usage"),
        (("ticket.md", "--persona", "wizard"), "usage"),
    ],
)
def test_what_makes_no_sense_is_exit_2(bench: Bench, words: tuple[str, ...], slug: str) -> None:
    ran = bench("run", *words, "--json")

    assert (ran.code, ran.document["error"]["slug"]) == (2, slug)


def test_a_contract_that_breaks_a_rule_or_whose_plan_changed_starts_nothing(bench: Bench) -> None:
    broken = bench.root.parent / "broken.json"
    broken.write_text(json.dumps(contract(tasks=[{**task("T1", "hello"), "verification": []}])))
    drifted = bench.root.parent / "drifted.json"
    drifted.write_text(json.dumps(contract(source_plan_hash="sha256:" + "0" * 64)))

    silent = bench.root.parent / "silent.json"
    silent.write_text(json.dumps(contract()))

    invalid = bench("run", "--contract", broken, "--agent", "hosted", "--json")
    moved = bench("run", "--contract", drifted, "--plan", bench.ticket(), "--agent", "hosted", "--json")

    assert (invalid.code, invalid.document["error"]["slug"]) == (2, "contract-invalid")
    assert (moved.code, moved.document["error"]["slug"]) == (2, "plan-drifted")
    unknown = bench("run", "--contract", silent, "--plan", bench.ticket(), "--agent", "hosted", "--json")
    assert (unknown.code, unknown.document["error"]["slug"]) == (2, "plan-hash-missing")
    assert bench("runs", "--json").document["runs"] == []


def test_an_advisory_run_plans_and_is_never_signed_off(bench: Bench) -> None:
    ran = bench("run", bench.ticket(), "--cassette", tape(bench), "--yes", "--persona", "advisory", "--json")

    assert (ran.code, ran.document["outcome"], ran.document["certificate"]) == (0, "planned", None)
    assert "| persona | advisory |" in Path(ran.document["report"]).read_text()


def test_a_cap_is_reset_by_a_person_on_a_terminal_and_by_nobody_else(bench: Bench) -> None:
    """A reset that is relayed is kept as an attempt; an ended run has no caps to reset."""
    run_id = bench.start("--json").document["run_id"]
    because = ("--reason", "the plan was right")

    relayed = bench("runs", "reset-cap", run_id, "rework", *because, "--json")
    unknown = bench("runs", "reset-cap", run_id, "patience", *because, "--json")
    typed = bench.typed("runs", "reset-cap", run_id, "rework", *because, "--by", "Grace", "--json")

    assert (relayed.code, relayed.document["error"]["slug"]) == (3, "reset-needs-terminal")
    assert (unknown.code, unknown.document["error"]["slug"]) == (2, "cap-unknown")
    assert typed.code == 0
    given = typed.document["waiver"]
    assert (given["name"], given["by"], given["how"]) == ("rework", "Grace", "terminal")
    shown = bench("runs", "show", run_id, "--json").document
    assert [one["clause"] for one in shown["refusals"]] == ["cap/rework"]
    assert [one["reason"] for one in shown["resets"]] == ["the plan was right"]
    assert bench("journal", "check", str(bench.run_folder(run_id) / "journal.jsonl")).code == 0
    bench("runs", "resume", run_id)
    assert bench("runs", "replay", run_id).code == 0
