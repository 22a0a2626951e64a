"""Writer of JUnit XML, for verdicts and gates alike. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

# What XML 1.0 cannot hold, not even escaped: https://www.w3.org/TR/xml/#charsets
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


class CaseLine(NamedTuple):
    """One test case. Without a tag it passes."""

    classname: str
    name: str
    tag: str = ""
    """`failure`, `error` or `skipped`."""
    message: str = ""
    type: str = ""


class SuiteOfCases(NamedTuple):
    """One test suite."""

    name: str
    cases: Sequence[CaseLine]


def junit_document(name: str, suites: Sequence[SuiteOfCases]) -> str:
    """Return the whole document. The figures of each suite, and of all, are counted from the cases."""
    whole = Element("testsuites", name=_clean(name))
    for suite in suites:
        element = SubElement(whole, "testsuite", name=_clean(suite.name))
        for case in suite.cases:
            line = SubElement(element, "testcase", classname=_clean(case.classname), name=_clean(case.name))
            if case.tag:
                SubElement(line, case.tag, message=_clean(case.message), type=_clean(case.type))
        _set_figures(element, suite.cases)
    _set_figures(whole, [case for suite in suites for case in suite.cases])
    indent(whole)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(whole, encoding="unicode") + "\n"


def _set_figures(element: Element, cases: Sequence[CaseLine]) -> None:
    tags = [case.tag for case in cases]
    element.set("tests", str(len(tags)))
    for tag, figure in _COUNTED.items():
        element.set(figure, str(tags.count(tag)))


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
