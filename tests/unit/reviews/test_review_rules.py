"""What a reviewer handed in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_shapes import ANY_JSON

from signoff.domain.base.violations import Severity
from signoff.reviews.review_rules import MAX_ISSUE, ReviewJudged, ReviewOutcome, judge_review

FILES = {"src/basket.py": 40, "empty.py": 0}


def finding(**changes: object) -> dict[str, Any]:
    whole = {
        "severity": "important",
        "file": "src/basket.py",
        "line": 3,
        "issue": "An empty basket divides by zero",
        "reviewer": "opus",
    }
    return {key: value for key, value in {**whole, **changes}.items() if value is not ...}


def judge(document: object) -> ReviewJudged:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return judge_review(data, FILES.get)


def codes(judged: ReviewJudged) -> dict[str, Severity]:
    return {violation.code: violation.severity for violation in judged.violations}


def test_a_review_with_findings_that_exist_is_valid_without_a_word() -> None:
    judged = judge({"approved": True, "findings": [finding()]})
    assert judged == ReviewJudged(ReviewOutcome.VALID, ())


def test_an_approval_without_findings_is_valid() -> None:
    assert judge({"approved": True, "findings": []}) == ReviewJudged(ReviewOutcome.VALID, ())


def test_approving_with_a_blocking_finding_is_a_contradiction() -> None:
    """Otherwise a reviewer could say both and whoever reads chooses."""
    judged = judge({"approved": True, "findings": [finding(), finding(severity="blocking", line=4)]})
    assert judged.outcome is ReviewOutcome.CONTRADICTION
    assert codes(judged) == {"approved-with-blocking": Severity.ERROR}
    assert (
        judge({"approved": False, "findings": [finding(severity="blocking")]}).outcome is ReviewOutcome.VALID
    )


def test_what_is_invalid_is_not_called_a_contradiction() -> None:
    judged = judge({"approved": True, "findings": [finding(severity="blocking"), finding(severity="minor")]})
    assert judged.outcome is ReviewOutcome.INVALID
    judged = judge({"approved": True, "findings": [finding(severity="blocking", file=...)]})
    assert judged.outcome is ReviewOutcome.INVALID
    assert codes(judged).keys() == {"no-file", "approved-with-blocking"}


def test_a_path_that_leaves_the_root_is_not_even_looked_for() -> None:
    review = {"approved": False, "findings": [finding(file="../src/basket.py")]}
    judged = judge_review(json.dumps(review).encode(), lambda _: 40)
    assert codes(judged) == {"hallucinated-file": Severity.WARNING}


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"", "syntax-error"),
        (b'{"approved": true, "findings": [', "syntax-error"),
        (b"\xff", "not-utf8"),
        (b"[]", "wrong-type"),
        (b'{"approved": true, "approved": false, "findings": []}', "duplicate-key"),
        ({"findings": []}, "missing-field"),
        ({"approved": True}, "missing-field"),
        ({"approved": "false", "findings": []}, "wrong-type"),
        ({"approved": True, "findings": {}}, "wrong-type"),
        ({"approved": True, "findings": ["it is bad"]}, "wrong-type"),
        ({"approved": False, "findings": [finding(severity="minor")]}, "unknown-value"),
        ({"approved": False, "findings": [finding(severity=...)]}, "no-severity"),
        ({"approved": False, "findings": [finding(issue=" ")]}, "no-issue"),
        ({"approved": False, "findings": [finding(issue="x" * (MAX_ISSUE + 1))]}, "wrong-length"),
        ({"approved": False, "findings": [finding(file=...)]}, "no-file"),
        ({"approved": False, "findings": [finding(line="3")]}, "wrong-type"),
        ({"approved": False, "findings": [finding(line=True)]}, "wrong-type"),
        ({"approved": False, "findings": [finding(line=0)]}, "hallucinated-line"),
        ({"approved": False, "findings": [finding(line=-3)]}, "hallucinated-line"),
        ({"approved": False, "findings": [finding(file="none.py", line=0)]}, "hallucinated-line"),
        ({"approved": False, "findings": [finding(reviewer="")]}, "wrong-length"),
    ],
)
def test_what_cannot_be_relied_on_is_invalid(document: object, code: str) -> None:
    judged = judge(document)
    assert judged.outcome is ReviewOutcome.INVALID
    assert codes(judged)[code] is Severity.ERROR


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"line": ...}, "no-line"),
        ({"file": "src/invented.py"}, "hallucinated-file"),
        ({"file": "../other/basket.py"}, "hallucinated-file"),
        ({"file": "/etc/passwd"}, "hallucinated-file"),
        ({"line": 41}, "hallucinated-line"),
        ({"file": "empty.py", "line": 1}, "hallucinated-line"),
        ({"reviewer": "somebody"}, "unknown-reviewer"),
        ({"issue": ..., "message": "divides by zero"}, "other-spelling"),
        ({"severityy": "x"}, "unknown-field"),
    ],
)
def test_a_raw_signal_may_be_odd_but_not_in_silence(change: dict[str, object], code: str) -> None:
    judged = judge({"approved": False, "findings": [finding(**change)]})
    assert judged.outcome is ReviewOutcome.VALID
    assert codes(judged) == {code: Severity.WARNING}


def test_models_with_a_version_are_known_reviewers() -> None:
    names = ("fable", "gpt-5", "claude-opus-4-7", "Sonnet")
    found = [finding(reviewer=name, line=n) for n, name in enumerate(names, 1)]
    assert judge({"approved": False, "findings": found}).violations == ()


def test_the_same_finding_in_other_letters_is_a_duplicate() -> None:
    """A repetition would count twice when rejections are counted."""
    again = finding(issue="  an EMPTY basket divides\nby zero. ", reviewer="gpt")
    judged = judge({"approved": False, "findings": [finding(), again, finding(line=4)]})
    assert judged.outcome is ReviewOutcome.INVALID
    assert [(v.code, v.path) for v in judged.violations] == [("duplicate-finding", "/findings/1")]


def test_refusing_without_a_word_is_noticed() -> None:
    judged = judge({"approved": False, "findings": []})
    assert judged.outcome is ReviewOutcome.VALID
    assert codes(judged) == {"refused-without-findings": Severity.WARNING}


@given(st.binary(max_size=200))
def test_no_bytes_crash_it(data: bytes) -> None:
    judge_review(data, FILES.get)


@given(st.fixed_dictionaries({}, optional={"approved": ANY_JSON, "findings": ANY_JSON, "reviewer": ANY_JSON}))
def test_no_json_crashes_it(document: dict[str, object]) -> None:
    judged = judge(document)
    assert (judged.outcome is ReviewOutcome.VALID) or any(
        v.severity is Severity.ERROR for v in judged.violations
    )


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                name: st.sampled_from(
                    ["blocking", "", "a.py", "src/basket.py", None, 1, -1, 99, True, [], {}]
                )
                for name in (
                    "severity",
                    "file",
                    "line",
                    "issue",
                    "reviewer",
                    "reason",
                    "verification",
                    "path",
                )
            },
        ),
        max_size=4,
    ),
    st.booleans(),
)
def test_only_a_sound_review_is_valid(findings: list[dict[str, object]], approved: bool) -> None:
    judged = judge({"approved": approved, "findings": findings})
    if judged.outcome is ReviewOutcome.VALID:
        assert all(one.get("severity") == "blocking" for one in findings)
        assert not (approved and findings)
