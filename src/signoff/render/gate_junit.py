"""The gates as JUnit XML: one suite for each gate, one case for each finding. Pure.

A gate without findings is one case that passes; one that could not be judged has a case in error. Findings
that fail nothing, and those the baseline has, are skipped with their message.
"""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from signoff.domain.gates import GateFinding, GateReport, GateResult

# What XML 1.0 cannot hold, not even escaped: https://www.w3.org/TR/xml/#charsets
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def gate_junit(report: GateReport) -> str:
    """Give the document."""
    whole = Element("testsuites", name="signoff gate")
    for gate in report.gates:
        _suite(whole, gate)
    for count in ("tests", *_COUNTED.values()):
        whole.set(count, str(sum(int(suite.get(count, "0")) for suite in whole)))
    indent(whole)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(whole, encoding="unicode") + "\n"


def _suite(whole: Element, gate: GateResult) -> None:
    suite = SubElement(whole, "testsuite", name=f"signoff.{gate.name}")
    for finding in gate.findings:
        tag = "failure" if finding.fails else "skipped"
        _case(suite, gate, _named(finding), tag, finding.message, finding.kind)
    if gate.unjudged:
        _case(suite, gate, "could be judged", "error", gate.unjudged, "unjudged")
    if not len(suite):
        _case(suite, gate, "holds", "", "", "")
    suite.set("tests", str(len(suite)))
    for tag, count in _COUNTED.items():
        suite.set(count, str(len(suite.findall(f"testcase/{tag}"))))


def _named(finding: GateFinding) -> str:
    place = finding.path + (f":{finding.line}" if finding.line else "")
    return " ".join(part for part in (finding.kind, place, finding.symbol) if part)


def _case(suite: Element, gate: GateResult, name: str, tag: str, message: str, kind: str) -> None:
    case = SubElement(suite, "testcase", classname=f"signoff.{gate.name}", name=_clean(name))
    if tag:
        SubElement(case, tag, message=_clean(message), type=_clean(kind))


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
