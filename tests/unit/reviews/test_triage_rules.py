"""What triage made of the findings, with the ten ways in which it goes wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.violations import Severity
from signoff.reviews.triage_rules import TriageJudged, TriageOutcome, judge_triage

FILES = {"src/basket.py": 40, "src/price.py": 5}


def finding(**changes: object) -> dict[str, Any]:
    whole = {
        "severity": "important",
        "file": "src/basket.py",
        "line": 3,
        "issue": "An empty basket divides by zero",
        "reviewer": "fable",
    }
    return {key: value for key, value in {**whole, **changes}.items() if value is not ...}


def several(count: int, **changes: object) -> list[dict[str, Any]]:
    return [finding(issue=f"issue {n} {changes}", reason="noise", **changes) for n in range(count)]


def triage(**changes: object) -> dict[str, Any]:
    return {"accepted": [], "deferred": [], "rejected": [], "approved": True, **changes}


def judge(document: object, scope: frozenset[str] | None = None) -> TriageJudged:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return judge_triage(data, FILES.get, scope)


def codes(judged: TriageJudged) -> dict[str, Severity]:
    return {violation.code: violation.severity for violation in judged.violations}


# --- valid and corrected ---


def test_nothing_found_and_approved_is_valid() -> None:
    judged = judge(triage())
    assert (judged.outcome, judged.output, judged.violations) == (TriageOutcome.VALID, triage(), ())


def test_everything_in_its_place_is_valid_without_a_word() -> None:
    document = triage(
        accepted=[finding(severity="blocking")],
        deferred=[finding(line=4, reason="another change")],
        rejected=[finding(line=5, reason="it does not")],
        approved=False,
        consensus={"verdict": "unverified", "reviewerCount": 2, "disagreements": []},
    )
    judged = judge(document)
    assert (judged.outcome, judged.output, judged.violations) == (TriageOutcome.VALID, document, ())


@pytest.mark.parametrize(
    ("accepted", "approved", "code"),
    [
        ([finding(severity="blocking")], True, "approved-with-blocking"),
        ([finding(severity="important")], False, "refused-without-blocking"),
        ([], False, "refused-without-blocking"),
    ],
)
def test_approved_follows_from_what_is_accepted(accepted: list[object], approved: bool, code: str) -> None:
    """In both directions: the word is computed, never believed."""
    judged = judge(triage(accepted=accepted, approved=approved))
    assert judged.outcome is TriageOutcome.CORRECTED
    assert judged.output == triage(accepted=accepted, approved=not approved)
    assert codes(judged) == {code: Severity.WARNING}


def test_a_deferred_blocking_finding_does_not_block() -> None:
    assert judge(triage(deferred=several(1, severity="blocking"))).outcome is TriageOutcome.VALID


def test_a_correction_changes_one_word_of_the_text() -> None:
    """Numbers, spaces, nested fields of the same name and what nobody knows stay to the letter."""
    text = (
        '{"x": {"approved": true, "n": 1.10},\r\n "accepted": [], "deferred":[],'
        ' "rejected" : [],\n\t"approved" :  false , "é": [{}]}'
    )
    judged = judge(text.encode())
    assert judged.outcome is TriageOutcome.CORRECTED
    assert judged.text == text.replace(":  false ", ":  true ")
    assert judge(judged.text.encode()).outcome is TriageOutcome.VALID


# --- over-rejection ---


@pytest.mark.parametrize(
    ("accepted", "rejected", "is_too_much"),
    [(0, 5, True), (1, 4, True), (2, 8, True), (2, 7, False), (0, 4, False), (1, 3, False), (21, 80, False)],
)
def test_four_fifths_of_five_or_more_is_too_much(accepted: int, rejected: int, is_too_much: bool) -> None:
    judged = judge(triage(accepted=several(accepted), rejected=several(rejected, line=9)))
    assert (judged.outcome is TriageOutcome.OVER_REJECTION) is is_too_much
    assert ("over-rejection" in codes(judged)) is is_too_much


def test_deferred_findings_count_as_findings() -> None:
    assert judge(triage(deferred=several(2), rejected=several(4, line=9))).outcome is TriageOutcome.VALID


def test_rejecting_every_one_of_two_blocking_findings_is_too_much() -> None:
    two = several(2, severity="blocking")
    assert judge(triage(rejected=two)).outcome is TriageOutcome.OVER_REJECTION
    assert judge(triage(rejected=two[:1])).outcome is TriageOutcome.VALID
    assert judge(triage(rejected=two[:1], deferred=two[1:])).outcome is TriageOutcome.VALID
    third = several(1, severity="blocking", line=9)
    assert judge(triage(rejected=two, deferred=third)).outcome is TriageOutcome.VALID
    assert judge(triage(rejected=two, accepted=third, approved=False)).outcome is TriageOutcome.VALID


def test_a_rejection_without_a_severity_counts_as_blocking() -> None:
    """Leaving it out must not be a way round."""
    assert judge(triage(rejected=several(2, severity=...))).outcome is TriageOutcome.OVER_REJECTION


def test_over_rejection_is_left_as_it_stands() -> None:
    """Correcting it would approve what a person has yet to look at."""
    document = triage(rejected=several(5), approved=False)
    judged = judge(document)
    assert judged.outcome is TriageOutcome.OVER_REJECTION
    assert judged.output == document


def test_repeating_a_rejected_finding_does_not_hide_over_rejection() -> None:
    judged = judge(triage(rejected=[finding(reason="noise")] * 5))
    assert judged.outcome is TriageOutcome.OVER_REJECTION
    assert codes(judged) == {"duplicate-finding": Severity.WARNING, "over-rejection": Severity.ERROR}


def test_repeating_an_accepted_finding_does_not_hide_over_rejection() -> None:
    judged = judge(triage(accepted=[finding(), finding()], rejected=several(8)))
    assert judged.outcome is TriageOutcome.OVER_REJECTION
    assert codes(judged) == {"duplicate-finding": Severity.ERROR, "over-rejection": Severity.ERROR}


def test_what_cannot_be_read_is_invalid_however_much_is_rejected() -> None:
    assert judge(triage(rejected=several(5), approved="yes")).outcome is TriageOutcome.INVALID
    assert judge(triage(rejected=[*several(5), "noise"])).outcome is TriageOutcome.INVALID
    assert judge(triage(accepted=[finding(line=...)], rejected=several(5))).outcome is TriageOutcome.INVALID


# --- the other adversarial classes ---


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "syntax-error"),
        (b"   \n", "syntax-error"),
        (b"Here is the triage:\n```json\n{}\n```", "syntax-error"),
        (b'{"accepted": [], "deferred": [], "rej', "syntax-error"),
        (b"null", "wrong-type"),
        (b"[]", "wrong-type"),
        (b"{}", "missing-field"),
        (b'{"accepted": [], "deferred": [], "rejected": [], "approved": NaN}', "not-a-number"),
    ],
)
def test_what_a_timeout_or_a_chatty_model_leaves_is_invalid(data: bytes, code: str) -> None:
    judged = judge(data)
    assert judged.outcome is TriageOutcome.INVALID
    assert judged.output is None
    assert code in codes(judged)


@pytest.mark.parametrize("name", ["accepted", "deferred", "rejected", "approved"])
def test_each_of_the_four_fields_is_needed(name: str) -> None:
    document = triage()
    del document[name]
    judged = judge(document)
    assert judged.outcome is TriageOutcome.INVALID
    assert codes(judged) == {"missing-field": Severity.ERROR}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"severity": ...}, "no-severity"),
        ({"severity": "critical"}, "unknown-value"),
        ({"file": ...}, "no-file"),
        ({"file": ""}, "no-file"),
        ({"line": ...}, "no-line"),
        ({"line": 3.5}, "wrong-type"),
        ({"issue": ...}, "no-issue"),
        ({"verification": {"result": "proved"}}, "unknown-value"),
        ({"verification": {}}, "missing-field"),
        ({"verification": "confirmed"}, "wrong-type"),
        ({"file": "src/invented.py"}, "hallucinated-file"),
        ({"file": "src/../../basket.py"}, "hallucinated-file"),
        ({"file": "C:\\basket.py"}, "hallucinated-file"),
        ({"file": ".git/config"}, "hallucinated-file"),
        ({"line": 41}, "hallucinated-line"),
        ({"line": -1}, "hallucinated-line"),
    ],
)
def test_nobody_is_sent_to_work_on_an_unsound_finding(change: dict[str, object], code: str) -> None:
    judged = judge(triage(accepted=[finding(**change)]))
    assert judged.outcome is TriageOutcome.INVALID
    assert codes(judged)[code] is Severity.ERROR


@pytest.mark.parametrize("name", ["deferred", "rejected"])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"file": "src/invented.py"}, "hallucinated-file"),
        ({"line": 99}, "hallucinated-line"),
        ({"line": 0}, "hallucinated-line"),
    ],
)
def test_what_is_set_aside_may_cite_what_does_not_exist_but_not_in_silence(
    name: str, change: dict[str, object], code: str
) -> None:
    """That is often why it was rejected."""
    judged = judge(triage(**{name: [finding(reason="there is no such place", **change)]}))
    assert (judged.outcome, codes(judged)) == (TriageOutcome.VALID, {code: Severity.WARNING})


@pytest.mark.parametrize(
    ("lists", "path"),
    [
        ({"accepted": 1, "rejected": 1}, "/rejected/0"),
        ({"accepted": 1, "deferred": 1}, "/deferred/0"),
        ({"deferred": 2}, "/deferred/1"),
        ({"rejected": 2}, "/rejected/1"),
        ({"deferred": 1, "rejected": 1}, "/rejected/0"),
    ],
)
def test_setting_a_copy_aside_is_honest_work(lists: dict[str, int], path: str) -> None:
    """Reviewers repeat each other, and every finding they handed in must stand somewhere."""
    copies = {name: [finding(reason="a copy")] * count for name, count in lists.items()}
    judged = judge(triage(**copies))
    assert judged.outcome is TriageOutcome.VALID
    assert [(v.code, v.path, v.severity) for v in judged.violations] == [
        ("duplicate-finding", path, Severity.WARNING)
    ]
    assert judge(triage(**copies, approved=False)).outcome is TriageOutcome.CORRECTED


def test_nobody_is_sent_to_work_on_a_finding_twice() -> None:
    judged = judge(triage(accepted=[finding(), finding(reviewer="gpt")]))
    assert judged.outcome is TriageOutcome.INVALID
    assert [(v.code, v.path) for v in judged.violations] == [("duplicate-finding", "/accepted/1")]


def test_a_finding_about_another_file_is_scope_creep_when_the_files_are_given() -> None:
    document = triage(accepted=[finding(), finding(file="src/price.py")])
    assert judge(document).outcome is TriageOutcome.VALID
    judged = judge(document, frozenset({"src/basket.py"}))
    assert judged.outcome is TriageOutcome.INVALID
    assert [(v.code, v.path) for v in judged.violations] == [("out-of-scope", "/accepted/1/file")]


def test_everything_wrong_at_once_is_said_at_once() -> None:
    document = triage(
        accepted=[finding(file="src/invented.py"), finding(line=99), finding(line=99)],
        rejected=several(12),
        approved=False,
    )
    judged = judge(document)
    assert judged.outcome is TriageOutcome.INVALID
    assert {"hallucinated-file", "hallucinated-line", "duplicate-finding", "over-rejection"} <= codes(
        judged
    ).keys()


# --- repro tests and consensus ---


@pytest.mark.parametrize(
    ("where", "result", "outcome", "code"),
    [
        ("accepted", "confirmed", TriageOutcome.VALID, ""),
        ("accepted", "inconclusive", TriageOutcome.VALID, ""),
        ("accepted", "not-reproduced", TriageOutcome.VALID, "not-reproduced-accepted"),
        ("deferred", "not-reproduced", TriageOutcome.VALID, ""),
        ("deferred", "confirmed", TriageOutcome.INVALID, "confirmed-not-accepted"),
        ("rejected", "confirmed", TriageOutcome.INVALID, "confirmed-not-accepted"),
        ("rejected", "not-reproduced", TriageOutcome.INVALID, "not-reproduced-rejected"),
    ],
)
def test_what_a_repro_test_showed_must_fit_the_list(
    where: str, result: str, outcome: TriageOutcome, code: str
) -> None:
    """A finding that a test proved cannot be talked away, and one it did not is for a person to see."""
    one = finding(reason="later", verification={"result": result, "testRef": "tests/test_x.py::test_y"})
    judged = judge(triage(**{where: [one]}))
    assert judged.outcome is outcome
    assert list(codes(judged)) == ([code] if code else [])


def test_a_confirmation_names_its_test() -> None:
    judged = judge(triage(accepted=[finding(verification={"result": "confirmed"})]))
    assert codes(judged) == {"confirmed-without-test": Severity.WARNING}


def test_nobody_approves_when_no_reviewer_returned() -> None:
    judged = judge(triage(consensus={"reviewerCount": 0}))
    assert (judged.outcome, codes(judged)) == (TriageOutcome.INVALID, {"no-reviewers": Severity.ERROR})


def test_a_split_says_over_what() -> None:
    judged = judge(triage(consensus={"verdict": "split"}))
    assert (judged.outcome, codes(judged)) == (
        TriageOutcome.VALID,
        {"split-without-disagreements": Severity.WARNING},
    )


@pytest.mark.parametrize("verdict", ["agreed", "unanimous", "verified", "unverified"])
def test_reviewers_agree_split_or_agree_unverified(verdict: str) -> None:
    assert judge(triage(consensus={"verdict": verdict})).violations == ()


@pytest.mark.parametrize("verdict", ["maybe", "", "Split"])
def test_any_other_verdict_is_none(verdict: str) -> None:
    judged = judge(triage(consensus={"verdict": verdict}))
    assert judged.outcome is TriageOutcome.INVALID
    assert [(v.code, v.path) for v in judged.violations] == [("unknown-value", "/consensus/verdict")]


# --- anything at all ---

VALUES: st.SearchStrategy[Any] = st.sampled_from(
    ["blocking", "suggestion", "", "src/basket.py", "x.py", "a", None, 1, -1, 99, True, 1.5, [], {}]
)
FINDING = st.fixed_dictionaries(
    {"issue": st.text(min_size=1, max_size=6)},
    optional={
        "severity": st.sampled_from(["blocking", "important", "suggestion", "odd"]),
        "file": st.sampled_from(["src/basket.py", "src/price.py", "../x"]),
        "line": st.integers(0, 7),
        "reason": VALUES,
        "verification": st.fixed_dictionaries(
            {"result": st.sampled_from(["confirmed", "not-reproduced", "x"])}
        ),
        "path": VALUES,
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {name: st.lists(FINDING, max_size=6) | VALUES for name in ("accepted", "deferred", "rejected")},
    optional={"approved": st.booleans() | VALUES, "consensus": VALUES, "\u2028": VALUES},
)


@given(DOCUMENTS)
def test_a_corrected_document_is_valid_and_stays_as_it_is(document: dict[str, object]) -> None:
    judged = judge(document)
    if judged.outcome is TriageOutcome.CORRECTED:
        assert json.loads(judged.text) == judged.output == {**document, "approved": not document["approved"]}
        again = judge(judged.text.encode())
        assert (again.outcome, again.output) == (TriageOutcome.VALID, judged.output)
    if judged.outcome is TriageOutcome.VALID:
        accepted: Any = document["accepted"]
        assert document["approved"] is not any(one["severity"] == "blocking" for one in accepted)


@given(st.binary(max_size=200))
def test_no_bytes_crash_it(data: bytes) -> None:
    judge_triage(data, FILES.get)
