"""JUnit: one test case for each clause."""

from xml.etree import ElementTree

from verdicts import STATE, survey

from signoff.delivery.report.verdict_junit import junit
from signoff.engine.run_state import State


def test_every_clause_is_a_case_with_its_standing() -> None:
    whole = ElementTree.fromstring(junit(STATE, survey()))

    outcomes = {case.get("name"): [child.tag for child in case] for case in whole.iter("testcase")}
    assert outcomes == {
        "T1/good: ": [],
        "T1/bad: a & b <c>": ["failure"],
        "T1/blind: blind": ["error"],
        "waived: ": ["skipped"],
        "nice: ": ["skipped"],
    }
    counted = {name: whole.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counted == {"tests": "5", "failures": "1", "errors": "1", "skipped": "2"}


def test_what_xml_cannot_hold_is_replaced() -> None:
    whole = ElementTree.fromstring(junit(STATE, survey()))

    (failure,) = whole.iter("failure")
    assert failure.get("message") == "it is red\ufffd"


def test_a_run_that_was_never_judged_is_one_error() -> None:
    whole = ElementTree.fromstring(junit(State(), survey(None)))

    assert (whole.get("tests"), whole.get("errors")) == ("1", "1")
