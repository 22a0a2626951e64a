"""SARIF: one result for each clause that is not proven."""

from typing import Any

from verdicts import STATE, survey

from signoff.delivery.report.verdict_sarif import sarif
from signoff.engine.run_state import State


def results() -> dict[str, dict[str, Any]]:
    (run,) = sarif(STATE, survey(), "1.2.3")["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [r["ruleId"] for r in run["results"]]
    assert [result["ruleIndex"] for result in run["results"]] == list(range(len(run["results"])))
    return {result["ruleId"]: result for result in run["results"]}


def test_every_clause_that_is_not_proven_is_a_result() -> None:
    found = results()

    assert set(found) == {"T1/bad", "T1/blind", "waived", "nice"}
    assert {name: result["level"] for name, result in found.items()} == {
        "T1/bad": "error",
        "T1/blind": "error",
        "waived": "error",
        "nice": "warning",
    }
    assert found["T1/blind"]["message"]["text"] == "blind: could-not-be-judged (timed out)"


def test_a_waived_clause_is_suppressed_with_its_reason() -> None:
    found = results()

    assert found["waived"]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "waived by ada: so be it"}
    ]
    assert found["T1/bad"]["suppressions"] == []


def test_a_plain_path_is_a_place_and_a_glob_is_not() -> None:
    found = results()

    (place,) = found["T1/bad"]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "docs/%C3%A4%20b.md"
    assert "physicalLocation" not in found["T1/blind"]["locations"][0]


def test_a_run_that_was_never_judged_did_not_end_well() -> None:
    (run,) = sarif(State(), survey(None), "1.2.3")["runs"]

    assert (run["results"], run["invocations"]) == ([], [{"executionSuccessful": False}])
