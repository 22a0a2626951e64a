"""The tables of failures: every class has a treatment, every sentence its class."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.profiles.failures import recognise, wait_named_in
from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.outcomes import AgentFailure


def test_every_class_has_a_treatment() -> None:
    """A class without one would be a crash of ours at the worst moment."""
    assert set(TREATMENT) == set(F)
    assert all(isinstance(each.reason, FailureReason) for each in TREATMENT.values())


@pytest.mark.parametrize(
    ("failure", "reason", "retryable", "may_fall_back"),
    [
        (F.RATE_LIMITED, FailureReason.RATE_LIMITED, True, True),
        (F.QUOTA_EXCEEDED, FailureReason.RATE_LIMITED, False, True),
        (F.AUTH, FailureReason.PRECONDITION_UNMET, False, True),
        (F.CONTEXT_OVERFLOW, FailureReason.CONTEXT_OVERFLOW, False, True),
        (F.REFUSED, FailureReason.UNKNOWN, False, False),
        (F.BAD_REQUEST, FailureReason.PRECONDITION_UNMET, False, False),
        (F.NETWORK, FailureReason.NETWORK_ERROR, True, True),
    ],
)
def test_who_is_asked_again_and_who_else_may_be(
    failure: F, reason: FailureReason, retryable: bool, may_fall_back: bool
) -> None:
    """An empty account does not fill by asking again; a mistake of ours is not mended by another model."""
    assert TREATMENT[failure][:3] == (reason, retryable, may_fall_back)


def test_the_journals_coarse_word_says_whether_it_ran_ended_or_answered() -> None:
    coarse = {kind: treatment.failure for kind, treatment in TREATMENT.items()}

    assert coarse[F.SILENT] is coarse[F.TIMED_OUT] is AgentFailure.TIMED_OUT
    assert coarse[F.NOT_STARTED] is coarse[F.WRONG_FOLDER] is AgentFailure.NOT_STARTED
    assert coarse[F.MALFORMED_ANSWER] is AgentFailure.MALFORMED_ANSWER
    assert coarse[F.NO_END] is coarse[F.AUTH] is AgentFailure.CRASHED


@pytest.mark.parametrize(
    ("text", "status", "code", "kind"),
    [
        # One status, several troubles: the sentence decides.
        (
            "prompt is too long: 208310 tokens > 200000 maximum",
            400,
            "invalid_request_error",
            F.CONTEXT_OVERFLOW,
        ),
        ("Your credit balance is too low to access the API", 400, "invalid_request_error", F.QUOTA_EXCEEDED),
        ("messages: at least one message is required", 400, "invalid_request_error", F.BAD_REQUEST),
        ("Claude AI usage limit reached|1753077600", None, "", F.QUOTA_EXCEEDED),
        ("5-hour limit reached ∙ resets 3pm", None, "", F.QUOTA_EXCEEDED),
        ("Rate limit reached for requests", 429, "rate_limit_error", F.RATE_LIMITED),
        ("Your input exceeds the context window of this model.", None, "", F.CONTEXT_OVERFLOW),
        ("Codex ran out of room in the model's context window.", None, "", F.CONTEXT_OVERFLOW),
        ("which appears to violate our Usage Policy", None, "", F.REFUSED),
        ("OAuth token has expired. Please obtain a new token", 401, "authentication_error", F.AUTH),
        ("Your access token could not be refreshed. Please log in again.", None, "", F.AUTH),
        ("", 529, "", F.OVERLOADED),
        ("", 502, "", F.SERVER_ERROR),
        ("", 418, "", F.BAD_REQUEST),
        ("", 302, "", None),
        ("", None, "overloaded_error", F.OVERLOADED),
        ("getaddrinfo ENOTFOUND api.example.com", None, "", F.NETWORK),
        ("the tests failed", None, "", None),
        ("", None, "", None),
    ],
)
def test_what_a_program_complains_of_has_one_class(
    text: str, status: int | None, code: str, kind: F | None
) -> None:
    assert recognise(text, status, code) is kind


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 20s.", 20),
        ("Please try again in 1.898s. Visit", 1.898),
        ("try again in 350ms", 0.35),
        ("or try again in 2 days 3 hours 5 minutes.", 183_900),
        ("Try again in ~179 min.", 10_740),
        ("Retrying in 2892 seconds… (attempt 1/10)", 2892),
        ('{"type":"usage_limit_reached","resets_in_seconds":13872}', 13_872),
        ("retry-after: 3", 3),
        ("try again at Apr 28th, 2026 10:03 PM", None),
        ("try again in a moment", None),
        ("resets 3pm", None),
        ("", None),
    ],
)
def test_the_wait_a_sentence_names_is_read_in_seconds(text: str, seconds: float | None) -> None:
    assert wait_named_in(text) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(), st.none() | st.integers(), st.text())
def test_any_complaint_can_be_read(text: str, status: int | None, code: str) -> None:
    assert recognise(text, status, code) in (None, *F)
    waited = wait_named_in(text)
    assert waited is None or waited >= 0


@pytest.mark.parametrize(
    "text", ["try again in " + "1 h, " * 100_000, "model " * 100_000, "limit " * 100_000]
)
def test_a_long_complaint_does_not_keep_us(text: str) -> None:
    """Patterns over text from outside must end; this test would hang."""
    assert recognise(text) in (None, *F)
    assert (wait_named_in(text) or 0) >= 0
