"""What a failure of a coding agent's program is. Pure tables. What may be done about it:
`domain.run.failure_policy`.

Programs report the same trouble in different ways: a status, a code, a sentence. `recognise` makes one
class of all of them. What is written here was seen in the output of the programs or stands in their
providers' references. A sentence that is not known has no class, never a guessed one.
"""

import re
from collections.abc import Mapping

from signoff.domain.base.failure_classes import FailureClass as F

WRONG_FOLDER = "wrong-folder"
"""Our own code for a complaint: the program says that it works elsewhere."""

# Codes that mean one thing only. `invalid_request_error` is not among them: a full context, an empty
# account and a plain mistake all come under it, and only the sentence tells which.
_CODES: Mapping[str, F] = {
    WRONG_FOLDER: F.WRONG_FOLDER,
    "authentication": F.AUTH,
    "authentication_error": F.AUTH,
    "authentication_failed": F.AUTH,
    "invalid_api_key": F.AUTH,
    "oauth_org_not_allowed": F.AUTH,
    "permission_error": F.AUTH,
    "billing_error": F.QUOTA_EXCEEDED,
    "insufficient_quota": F.QUOTA_EXCEEDED,
    "usage_limit_reached": F.QUOTA_EXCEEDED,
    "usage_not_included": F.QUOTA_EXCEEDED,
    "rate_limit": F.RATE_LIMITED,
    "rate_limit_error": F.RATE_LIMITED,
    "rate_limit_exceeded": F.RATE_LIMITED,
    "overloaded": F.OVERLOADED,
    "overloaded_error": F.OVERLOADED,
    "server_is_overloaded": F.OVERLOADED,
    "slow_down": F.OVERLOADED,
    "api_error": F.SERVER_ERROR,
    "server_error": F.SERVER_ERROR,
    "timeout_error": F.SERVER_ERROR,
    "connection_failed": F.NETWORK,
    "context_length_exceeded": F.CONTEXT_OVERFLOW,
    "request_too_large": F.CONTEXT_OVERFLOW,
    "ContextOverflowError": F.CONTEXT_OVERFLOW,
    "cyber_policy": F.REFUSED,
    "content_filter": F.REFUSED,
    "invalid_prompt": F.REFUSED,
    "refusal": F.REFUSED,
    "model_not_found": F.BAD_REQUEST,
    "not_found_error": F.BAD_REQUEST,
}

Sayings = tuple[tuple[F, re.Pattern[str]], ...]


def _sayings(*rules: tuple[F, tuple[str, ...]]) -> Sayings:
    return tuple((kind, re.compile("|".join(patterns), re.IGNORECASE)) for kind, patterns in rules)


# More telling than a status: a 400 or a 429 is any of these.
_TELLING = _sayings(
    (
        F.CONTEXT_OVERFLOW,
        (
            r"(?:prompt|input) (?:is|as) too long",
            r"exceeds? the [\w' ]{0,30}context window",
            r"context[ _]length[ _]exceeded",
            r"ran out of room in the model.s context window",
            r"maximum context length",
            r"exceed context limit",
        ),
    ),
    (
        F.QUOTA_EXCEEDED,
        (
            r"credit balance is too low",
            r"insufficient[ _]quota",
            r"quota exceeded",
            r"exceeded your current quota",
            r"usage[ _]limit",
            r"(?<!rate )limit reached\b",
            r"hit your (?:\w+ )?limit",
            r"out of credits",
        ),
    ),
    (
        F.REFUSED,
        (
            r"violate our usage policy",
            r"unable to respond to this request",
            r"content policy",
            r"flagged (?:as|for)",
            r"cyber_policy",
        ),
    ),
    (
        F.AUTH,
        (
            r"not logged in",
            r"please run /login",
            r"(?:invalid|incorrect) (?:x-)?api[ -]key",
            r"invalid authentication",
            r"failed to authenticate",
            r"missing environment variable",
            r"missing bearer",
            r"oauth token",
            r"token (?:has )?expired",
            r"refresh token",
            r"log ?in again",
            r"codex login",
            r"unauthorized",
        ),
    ),
)

_STATUSES: Mapping[int, F] = {
    400: F.BAD_REQUEST,
    401: F.AUTH,
    402: F.QUOTA_EXCEEDED,
    403: F.AUTH,
    404: F.BAD_REQUEST,
    408: F.SERVER_ERROR,
    413: F.CONTEXT_OVERFLOW,
    422: F.BAD_REQUEST,
    429: F.RATE_LIMITED,
    503: F.OVERLOADED,
    529: F.OVERLOADED,
}

_PLAIN = _sayings(
    (F.RATE_LIMITED, (r"rate[ _-]?limit", r"too many requests")),
    (F.OVERLOADED, (r"overloaded", r"high demand", r"at capacity", r"temporarily unavailable")),
    (
        F.NETWORK,
        (
            r"ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN",
            r"connection (?:was )?(?:refused|reset|error|failed|closed)",
            r"error sending request",
            r"stream (?:disconnected|closed) before",
            r"waiting for network",
            r"socket hang up",
            r"fetch failed",
            r"certificate",
            r"dns error",
            r"request timed out",
            r"(?:unable to|could not|cannot) connect",
            r"^(?:internal error: )?terminated$",
            r"\bnetwork error\b",
            r"error decoding response body",
            r"received a non-SSE response",
            r"failed to (?:finalize|parse) chat-completions stream",
        ),
    ),
    (
        F.SERVER_ERROR,
        (
            *(r"internal server error", r"server[ _]error", r"the server had an error", r"bad gateway"),
            r"empty or malformed response",
        ),
    ),
    (
        F.BAD_REQUEST,
        (
            r"invalid[_ ]request",
            r"model .{0,80}(?:not found|does not exist|not supported|may not exist)",
            r"unknown option",
            r"unexpected argument",
            r"invalid value .{1,80} for",
            r"error loading config",
        ),
    ),
    (F.TOO_MUCH_OUTPUT, (r"output token maximum", r"max_output_tokens")),
    (F.WRONG_FOLDER, (r"not inside a trusted directory",)),
)

_LONGEST_TEXT = 4000
"""Causes are short. What is longer is output that only looks like one."""


def recognise(text: str, status: int | None = None, code: str = "") -> F | None:
    """Return the class of what a program complained of, or None if nothing in it tells.

    A clear sentence comes before the code, the code before the status, and a vague sentence last.
    """
    text = text[:_LONGEST_TEXT]
    if code == WRONG_FOLDER:
        return F.WRONG_FOLDER
    by_range = None
    if status is not None and status >= 400:
        by_range = F.SERVER_ERROR if status >= 500 else F.BAD_REQUEST
    return (
        _first(_TELLING, text)
        or _CODES.get(code)
        or _STATUSES.get(status or 0, by_range)
        or _first(_PLAIN, text)
    )


def _first(rules: Sayings, text: str) -> F | None:
    return next((kind for kind, pattern in rules if pattern.search(text)), None)


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_AMOUNT = r"(\d{1,9}(?:\.\d{1,6})?)\s?(ms|millis|s|m|h|d)[a-z]{0,10}\b"
_WAIT = re.compile(
    rf"(?:again|retry|retrying|resets?) in ~?((?:{_AMOUNT}[,\s]{{0,2}}(?:and )?){{1,5}})", re.I
)
_SECONDS = re.compile(
    r"(?:retry[-_ ]after|resets_in_seconds)\"?[:=]? ?(\d{1,9}(?:\.\d{1,6})?)", re.IGNORECASE
)


def wait_named_in(text: str) -> float | None:
    """Return the seconds a sentence asks to wait, or None if it names a clock time or nothing."""
    text = text[:_LONGEST_TEXT]
    if seconds := _SECONDS.search(text):
        return float(seconds[1])
    if not (named := _WAIT.search(text)):
        return None
    amounts = re.findall(_AMOUNT, named[1], re.IGNORECASE)
    return sum(float(number) * _UNITS["ms" if unit == "millis" else unit.lower()] for number, unit in amounts)
