"""A host drives a run through `submit` and `answer`: from the plan to the certificate."""

import json
from pathlib import Path

from clibench import Bench, contract, plan, task


def test_a_ticket_is_delivered_by_a_host_from_plan_to_certificate(bench: Bench) -> None:
    started = bench.start("--json")
    assert started.code == 4
    halt = started.document["halt"]
    assert (halt["kind"], halt["directive"]["verb"]) == ("agent", "create-plan")
    assert halt["directive"]["payload"]["ticket"]["id"] == "NOTE-1"
    assert "contract" in json.dumps(halt["directive"]["schema"])
    kept = json.loads(Path(halt["directive_file"]).read_text())
    assert (kept["verb"], kept["schema"]) == ("create-plan", halt["directive"]["schema"])

    handed_in = bench.submit(plan(), "--json")
    assert handed_in.code == 0
    run_id = started.document["run_id"]
    assert handed_in.document["accepted"] is True
    assert handed_in.document["next"] == f"signoff runs resume {run_id}"

    asked = bench("runs", "resume", run_id, "--json")
    assert asked.code == 3
    assert asked.document["halt"]["code"] == "plan-approval"
    assert asked.document["halt"]["contract"]["goal"] == contract()["goal"]

    approved = bench("answer", run_id, "plan/attempt-1/approval", "1", "--resume", "--json")
    assert approved.code == 4
    assert approved.document["accepted"] is True
    assert [h["directive"]["verb"] for h in approved.document["halts"]] == ["apply-plan", "apply-plan"]

    assert bench.work("T1", "hello.txt", "hello\n").code == 4
    ended = bench.work("T2", "bye.txt", "bye\n")
    assert ended.code == 0, ended.err
    assert ended.document["outcome"] == "signed-off"
    certificate = json.loads(Path(ended.document["certificate"]).read_text())["predicate"]
    assert (certificate["approver"], certificate["level"]) == ("nobody", "observed")
    assert bench.git("show", f"refs/signoff/{run_id}/final:bye.txt") == "bye"
    assert bench.git("status", "--short") == ""


def test_a_malformed_answer_is_not_recorded_and_everything_wrong_is_named(bench: Bench) -> None:
    run_id = bench.start("--json").document["run_id"]
    before = (bench.run_folder(run_id) / "journal.jsonl").read_bytes()
    broken = plan(goal=7, tasks=[{**task("T1", "hello"), "wave": "first"}])

    said = bench.submit(broken, "--json")

    assert said.code == 1
    assert said.document["accepted"] is False
    assert {v["path"] for v in said.document["violations"]} == {"/contract/goal", "/contract/tasks/0/wave"}
    assert set(said.document["violations"][0]) == {
        "code",
        "severity",
        "rule",
        "path",
        "line",
        "message",
        "fix",
    }
    assert bench("submit", run_id, "-", stdin=b"{nonsense").code == 1
    assert (bench.run_folder(run_id) / "journal.jsonl").read_bytes() == before


def test_what_is_not_open_is_named_with_what_is(bench: Bench) -> None:
    bench.start("--yes")
    bench.submit(plan(), "--resume")

    no_question = bench("answer", "latest", "yes", "--json")
    which = bench.submit({"kind": "done"}, "--json")
    unknown = bench.submit({"kind": "done"}, "--directive", "implement/T9/attempt-1/dispatch-1", "--json")

    for said in (no_question, which, unknown):
        assert said.code == 2
        assert said.document["error"]["slug"] == "halt-unknown"
        assert "implement/T2/attempt-1/dispatch-1" in said.document["error"]["why"]


def test_an_unclear_ticket_waits_for_criteria_which_may_come_through_a_pipe(bench: Bench) -> None:
    asked = bench("run", "--prompt", "Greet people", "--agent", "hosted", "--json")
    assert asked.code == 3
    assert asked.document["halt"]["code"] == "ticket-unclear"
    assert bench("answer", "latest", "refine/ticket", "--json").document["error"]["slug"] == "answer-empty"

    criteria = b"- `hello.txt` holds the word `hello`\n- `bye.txt` holds the word `bye`\n"
    answered = bench("answer", "latest", "refine/ticket", "-", "--resume", "--json", stdin=criteria)

    assert answered.code == 4
    ticket = answered.document["halt"]["directive"]["payload"]["ticket"]
    assert ticket["acceptance_criteria"] == [
        "`hello.txt` holds the word `hello`",
        "`bye.txt` holds the word `bye`",
    ]


def test_work_that_does_not_hold_is_sent_back_with_what_failed(bench: Bench) -> None:
    bench.start("--yes")
    bench.submit(
        plan(
            tasks=[task("T1", "hello")],
            success_criteria=["hello.txt is there and says hello"],
            stop_conditions=["Every check passes"],
        ),
        "--resume",
    )

    sent_back = bench.work("T1", "hello.txt", "good morning\n")

    assert sent_back.code == 4
    halt = sent_back.document["halt"]
    assert halt["id"] == "implement/T1/attempt-2/dispatch-1"
    assert halt["directive"]["payload"]["failures"][0]["clause"] == "T1/file"


def test_a_relayed_yes_is_an_approval_by_nobody_and_any_other_text_a_refusal(bench: Bench) -> None:
    bench.start()
    bench.submit(plan(), "--resume")

    refused = bench("answer", "latest", "not like this", "--resume", "--json")

    assert refused.code == 4
    payload = refused.document["halt"]["directive"]["payload"]
    assert any("not like this" in objection for objection in payload["violations"])
    bench.submit(plan(), "--resume")
    assert bench("answer", "latest", "yes", "--resume").code == 4
    assert bench("runs", "show", "latest", "--json").document["sealed"]["approver"] == "nobody"
