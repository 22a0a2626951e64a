"""A person on a terminal: asked while the run goes, believed when they approve, able to overrule."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clibench import Bench, deliver, plan


def test_a_plan_approved_on_a_terminal_is_approved_by_a_person(bench: Bench) -> None:
    bench.start()
    bench.submit(plan())

    said = bench.typed(
        "runs", "resume", "latest", say=(("Is this plan what you want?", "7"), ("no option 7", "yes"))
    )

    assert said.code == 4
    assert "may touch: hello.txt" in said.err
    assert bench("runs", "show", "latest", "--json").document["sealed"]["approver"] == "person"


class Meanwhile(str):
    """An answer that is typed after something else has happened."""

    __slots__ = ("happens",)
    happens: Callable[[], object]

    def encode(self, *words: Any, **more: Any) -> bytes:
        """Give the bytes for the terminal; that is when the prompt stands."""
        self.happens()
        return super().encode(*words, **more)


def after(happens: Callable[[], object], text: str) -> Meanwhile:
    typed = Meanwhile(text)
    typed.happens = happens
    return typed


def test_what_is_typed_counts_though_another_process_wrote_to_the_run_meanwhile(bench: Bench) -> None:
    """The prompt may stand for hours; the journal it was read from has moved on."""
    bench.start()
    bench.submit(plan())

    def try_to_waive() -> None:
        assert bench("waive", "latest", "T1/file", "--reason", "please").code == 3

    said = bench.typed(
        "runs", "resume", "latest", say=(("Is this plan what you want?", after(try_to_waive, "yes")),)
    )

    assert said.code == 4, said.err
    shown = bench("runs", "show", "latest", "--json").document
    assert shown["sealed"]["approver"] == "person"
    assert [refusal["clause"] for refusal in shown["refusals"]] == ["T1/file"]


def test_the_first_answer_counts_and_the_second_is_told_so(bench: Bench) -> None:
    bench.start()
    bench.submit(plan())

    def approve() -> None:
        assert bench("answer", "latest", "approve").code == 0

    said = bench.typed(
        "runs", "resume", "latest", say=(("Is this plan what you want?", after(approve, "reject")),)
    )

    assert said.code == 4
    assert "was answered meanwhile; the run goes on with that" in said.err
    assert bench("runs", "show", "latest", "--json").document["sealed"]["approver"] == "nobody"


def test_an_unclear_ticket_is_cleared_up_line_by_line(bench: Bench) -> None:
    said = bench.typed(
        *("run", "--prompt", "Greet people", "--agent", "hosted"),
        say=(
            ("State the acceptance criteria", "`hello.txt` holds `hello`"),
            ("> ", "`bye.txt` holds `bye`"),
            ("> ", ""),
        ),
    )

    assert said.code == 4
    payload = bench("status", "--json").document["halt"]["directive"]["payload"]
    assert payload["ticket"]["acceptance_criteria"] == ["`hello.txt` holds `hello`", "`bye.txt` holds `bye`"]


def test_a_clause_waived_on_a_terminal_ends_in_a_certificate_that_names_the_waiver(bench: Bench) -> None:
    refused = deliver(bench, second="farewell\n")
    assert refused.code == 4, refused.err
    refused = bench.work("T2", "bye.txt", "farewell\n")  # the same again: no third time
    assert refused.code == 1, refused.err
    run_id = refused.document["run_id"]
    relayed = bench("waive", "latest", "T2/file", "--reason", "please", "--json")
    assert (relayed.code, relayed.document["error"]["slug"]) == (3, "waiver-needs-terminal")
    assert "ada tried to waive T2/file without a terminal" in bench("report", run_id).out

    waived = bench.typed("waive", run_id, "T2/file", "--reason", "so be it", "--by", "Grace", "--json")

    assert waived.code == 0, waived.err
    last = waived.document
    assert (last["waiver"]["by"], last["waiver"]["how"]) == ("Grace", "terminal")
    assert last["outcome"] == "signed-off"
    certificate = json.loads(Path(last["certificate"]).read_text())["predicate"]
    assert [w["clause"] for w in certificate["waivers"]] == ["T2/file"]
    assert bench("report", run_id, "--verify").code == 0
    assert "SIGNED OFF" in bench("report", run_id).out
    assert bench("status", "--json").document["outcome"] == "signed-off"
    assert bench("runs", "resume", run_id).code == 0
    twice = bench.typed("waive", run_id, "T2/file", "--reason", "again", "--json")
    assert (twice.code, twice.document["error"]["slug"]) == (2, "waiver-not-needed")
    waiver = bench("runs", "--json").document["runs"][0]
    assert waiver["parent"] == run_id
    assert bench("report", waiver["run_id"], "--json").document["error"]["slug"] == "not-a-delivery"
