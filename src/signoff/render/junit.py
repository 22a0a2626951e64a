"""A verdict as JUnit XML: one test case for each clause. Pure.

Proven is a pass, not judged is an error, waived and optional ones are skipped with the reason.
"""

import re
from collections import Counter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from signoff.core.state import State
from signoff.domain.surveys import Survey
from signoff.domain.verdict import ClauseVerdict, Standing

# What XML 1.0 cannot hold, not even escaped: https://www.w3.org/TR/xml/#charsets
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit(state: State, found: Survey) -> str:
    """Give the document; a run that was never judged has one case, in error."""
    rows = found.verdict.clauses if found.verdict else ()
    suite = Element("testsuite", name=_clean(f"signoff {state.run_id}"))
    counts: Counter[str] = Counter()
    texts = {clause.id: clause.text for clause in found.clauses}
    for row in rows:
        case = SubElement(
            suite,
            "testcase",
            classname=_clean(_group(row.clause)),
            name=_clean(f"{row.clause}: {texts.get(row.clause, '')}"),
        )
        counts += _outcome(case, row)
    if not rows:
        case = SubElement(suite, "testcase", classname="signoff", name="verdict")
        SubElement(case, "error", message="no clause has been judged", type="unjudged")
        counts["errors"] += 1
    suite.set("tests", str(len(rows) or 1))
    for name in _COUNTED.values():
        suite.set(name, str(counts[name]))
    whole = Element("testsuites", suite.attrib)
    whole.append(suite)
    indent(whole)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(whole, encoding="unicode") + "\n"


def _outcome(case: Element, row: ClauseVerdict) -> Counter[str]:
    tag, message = _said(row)
    if not tag:
        return Counter()
    SubElement(case, tag, message=_clean(message), type=str(row.standing))
    return Counter({_COUNTED[tag]: 1})


def _said(row: ClauseVerdict) -> tuple[str, str]:
    match row.standing:
        case Standing.PROVEN:
            return "", ""
        case Standing.WAIVED:
            return "skipped", row.why
        case _ if not row.required:
            return "skipped", f"optional, and {row.standing}: {row.why}"
        case Standing.NOT_JUDGED:
            return "error", row.why or str(row.standing)
        case _:
            return "failure", row.why or str(row.standing)


def _group(clause: str) -> str:
    head, slash, _ = clause.partition("/")
    return f"signoff.{head}" if slash else "signoff"


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
