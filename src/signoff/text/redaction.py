"""The formats of providers' secrets, and how they are removed from bytes.

Pure. `redact` cleans bytes that are at hand as a whole. `redaction` returns the same rules as plain data for
a reader that sees the bytes arrive in pieces (the supervisor, which cannot import this package). A shape is a
provider's own format and precise enough to act on without looking at the surroundings.

This guards against accidents: a program that *means* to leak a secret only has to reverse it.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

MARK = b"[redacted]"

CONTEXT = 4
"""How many bytes before a match a pattern may look at."""


class SecretShape(NamedTuple):
    """The format of one provider's secrets."""

    kind: str
    openings: tuple[str, ...]
    """Every match begins with one of these, so text without them needs no regular expression."""
    pattern: str
    reach: int
    """Bytes from the start of a match that can decide about it, one of look-ahead included."""


class Redaction(NamedTuple):
    """Known values and shapes as one pattern, with what is needed to apply it to a stream."""

    pattern: bytes
    openings: tuple[tuple[bytes, int], ...]
    """Each literal that a match can begin with, and the reach of such a match."""
    context: int = CONTEXT
    mark: bytes = MARK


# "task-<32 hex digits>" is no key of OpenAI's. A letter before is no obstacle, though, when it ends an
# escape: agents answer in JSON ("\nsk-…") and programs colour their output ("\x1b[0msk-…").
_NOT_IN_A_WORD = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\[[0-9]m)|(?<=\[[0-9][0-9]m))"

_KEY_LABELS = tuple(
    f"{owner}PRIVATE KEY{'' if owner != 'PGP ' else ' BLOCK'}-----"
    for owner in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP ")
)
_ANY_LABEL = "(?:" + "|".join(_KEY_LABELS) + ")"
# The whole block up to its end line; where that is missing (cut off), the lines of base64 that follow.
# Line breaks may be real ones or the two characters of a JSON string.
_KEY_BLOCK = (
    rf"-----BEGIN {_ANY_LABEL}"
    rf"(?:[\s\S]{{0,16000}}?-----END {_ANY_LABEL}"
    r"|(?:(?:\s|\\[nr]){0,4}[A-Za-z0-9+/=]{16,100}){0,140})"
)

SHAPES: tuple[SecretShape, ...] = (
    SecretShape("private-key", tuple(f"-----BEGIN {label}" for label in _KEY_LABELS), _KEY_BLOCK, 16_200),
    SecretShape(
        "aws-access-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        21,
    ),
    SecretShape(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"gh[pousr]_[A-Za-z0-9]{36,255}",
        260,
    ),
    SecretShape("github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}", 267),
    SecretShape("slack-token", ("xox",), r"xox[abceoprs]-[0-9][A-Za-z0-9-]{9,255}", 262),
    SecretShape(
        "anthropic-or-openai-key",
        ("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"),
        r"sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,255}",
        267,
    ),
    SecretShape("openai-key", ("sk-",), _NOT_IN_A_WORD + r"sk-[A-Za-z0-9]{32,255}", 259),
    SecretShape("google-api-key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", 40),
    SecretShape(
        "stripe-key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_"),
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}",
        264,
    ),
    SecretShape("stripe-key", ("whsec_",), _NOT_IN_A_WORD + r"whsec_[A-Za-z0-9+/]{32,255}", 262),
    SecretShape(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"),
        r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,255}",
        262,
    ),
    SecretShape("slack-token", ("xapp-",), r"xapp-[0-9]-[A-Za-z0-9-]{20,255}", 263),
    SecretShape(
        "slack-webhook",
        ("https://hooks.slack.com/services/T",),
        r"https://hooks\.slack\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{20,32}",
        98,
    ),
    SecretShape("google-oauth-secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])", 36),
    SecretShape("google-oauth-token", ("ya29.",), _NOT_IN_A_WORD + r"ya29\.[A-Za-z0-9_-]{30,1000}", 1006),
    SecretShape(
        "sendgrid-key",
        ("SG.",),
        _NOT_IN_A_WORD + r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])",
        70,
    ),
    SecretShape("twilio-key", ("SK",), _NOT_IN_A_WORD + r"SK[0-9a-f]{32}(?![A-Za-z0-9])", 35),
    SecretShape(
        "azure-storage-key", ("AccountKey=",), r"AccountKey=[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])", 100
    ),
    SecretShape(
        "azure-access-key",
        ("SharedAccessKey=",),
        r"SharedAccessKey=[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])",
        61,
    ),
    SecretShape("hugging-face-token", ("hf_",), _NOT_IN_A_WORD + r"hf_[A-Za-z0-9]{34}(?![A-Za-z0-9_])", 38),
    SecretShape(
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}(?![A-Za-z0-9])",
        39,
    ),
    # Without the digit a long name behind a variable called `hvs` would do as well.
    SecretShape(
        "vault-token",
        ("hvs.", "hvb."),
        _NOT_IN_A_WORD + r"hv[sb]\.(?=[A-Za-z_-]{0,99}[0-9])[A-Za-z0-9_-]{24,300}",
        305,
    ),
    SecretShape("docker-token", ("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[A-Za-z0-9_-]{27,64}", 74),
    SecretShape("groq-key", ("gsk_",), _NOT_IN_A_WORD + r"gsk_[A-Za-z0-9]{52}(?![A-Za-z0-9_])", 57),
    SecretShape("linear-key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{40}(?![A-Za-z0-9_])", 49),
    SecretShape("figma-token", ("figd_",), _NOT_IN_A_WORD + r"figd_[A-Za-z0-9_-]{40,64}", 70),
    # A service token names the environment that it is for.
    SecretShape(
        "doppler-token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
        _NOT_IN_A_WORD + r"dp\.(?:[pc]t|s[at])\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}(?![A-Za-z0-9])",
        87,
    ),
    SecretShape(
        "age-secret-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}(?![A-Za-z0-9])", 75
    ),
    SecretShape("square-token", ("sq0csp-",), r"sq0csp-[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])", 51),
    SecretShape("square-token", ("sq0atp-",), r"sq0atp-[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])", 30),
    SecretShape("facebook-token", ("EAACEdEose0cBA",), r"EAACEdEose0cBA[A-Za-z0-9]{20,255}", 270),
    SecretShape(
        "digitalocean-token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        r"do[por]_v1_[0-9a-f]{64}(?![A-Za-z0-9])",
        72,
    ),
    SecretShape("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9_])", 41),
    # Every token of PyPI's is a macaroon whose first bytes are these.
    SecretShape("pypi-token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{50,1000}", 1009),
    # Two parts that begin with `{"` in base64 and a signature: nothing else looks like that.
    SecretShape(
        "json-web-token",
        ("eyJ",),
        r"eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,12000}\.[A-Za-z0-9_-]{20,2000}",
        16_010,
    ),
)


def redaction(values: Iterable[str] = ()) -> Redaction:
    """Return the rules for these known values and all shapes, passing over empty values.

    A value is also found in the way JSON writes it. The longer value wins where two begin at one place. Where
    one begins inside another, only the first is recognised.
    """
    written = {
        form
        for value in values
        if value
        for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    }
    literals = sorted(form.encode("utf-8", "surrogateescape") for form in written)
    literals.sort(key=len, reverse=True)  # stable: of equal length, in the order of their bytes
    alternatives = [re.escape(literal) for literal in literals]
    alternatives += [shape.pattern.encode() for shape in SHAPES]
    openings = [(literal, len(literal)) for literal in literals]
    openings += [(opening.encode(), shape.reach) for shape in SHAPES for opening in shape.openings]
    return Redaction(pattern=b"|".join(alternatives), openings=tuple(openings))


def redact(data: bytes, values: Iterable[str] = ()) -> bytes:
    """Return `data` with every known value and every provider-shaped secret replaced by `MARK`."""
    rules = redaction(values) if values else _shapes_alone()
    if not any(opening in data for opening, _ in rules.openings):
        return data
    return re.sub(rules.pattern, rules.mark, data)


@cache
def _shapes_alone() -> Redaction:
    return redaction()
