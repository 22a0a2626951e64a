"""JUnit XML of the gates."""

from xml.etree import ElementTree

from gate_reports import report
from msgspec.structs import replace

from signoff.gates.gate_junit import gate_junit


def test_each_gate_is_a_suite_and_each_finding_a_case() -> None:
    whole = ElementTree.fromstring(gate_junit(report()))

    assert {name: whole.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "3",
    }
    assert [suite.get("name") for suite in whole] == [
        "signoff.secrets",
        "signoff.test-integrity",
        "signoff.test-gap",
        "signoff.protected-paths",
        "signoff.risk",
    ]


def test_a_known_finding_is_skipped_and_an_unjudged_gate_is_an_error() -> None:
    whole = ElementTree.fromstring(gate_junit(report()))

    assert whole.find(".//testcase[@name='github-token old.py:1']/skipped") is not None
    error = whole.find(".//testsuite[@name='signoff.protected-paths']/testcase/error")
    assert error is not None
    assert error.get("message") == "settings are unreadable"


def test_what_xml_cannot_hold_is_replaced() -> None:
    found = report()
    odd = replace(found, gates=(replace(found.gates[3], unjudged="bell \a"),))

    assert "bell \ufffd" in gate_junit(odd)
    ElementTree.fromstring(gate_junit(odd))
