"""SARIF of the gates, checked against what version 2.1.0 requires."""

from typing import Any

from gate_reports import report

from signoff.gates.gate_sarif import gate_sarif

LEVELS = ("none", "note", "warning", "error")
BASELINE_STATES = ("new", "unchanged", "updated", "absent")


def run() -> dict[str, Any]:
    log = gate_sarif(report(), "1.2.3")
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (only,) = log["runs"]
    found: dict[str, Any] = only
    return found


def test_every_required_field_is_there() -> None:
    found = run()
    driver = found["tool"]["driver"]
    assert driver["name"] == "signoff"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for result in found["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["baselineState"] in BASELINE_STATES
        for place in result["locations"]:
            assert place["logicalLocations"][0]["name"]
            physical = place.get("physicalLocation")
            if physical:
                assert physical["region"]["startLine"] >= 1
                assert " " not in physical["artifactLocation"]["uri"]
    for invocation in found["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)


def test_paths_are_uris_and_levels_follow_severities() -> None:
    results = run()["results"]

    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC.py"
    assert [result["level"] for result in results] == ["error", "error", "warning", "note"]


def test_what_the_baseline_has_is_suppressed() -> None:
    results = run()["results"]

    assert [result["baselineState"] for result in results] == ["new", "unchanged", "new", "new"]
    assert [bool(result.get("suppressions")) for result in results] == [False, True, False, False]


def test_a_gate_that_could_not_be_judged_is_no_success() -> None:
    (invocation,) = run()["invocations"]

    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 1
    assert "protected-paths" in invocation["toolExecutionNotifications"][0]["message"]["text"]
