"""Scores of the files of a change by how much they need a review. Pure.

`signoff risk` shows the scores and blocks nothing. A file's score is the sum of weight times value over its
signals, so files of different kinds can be compared: every value lies between 0 and 1, and the weights alone
decide what matters more. A signal that does not apply is left out. Yes-or-no signals have the value 1. The
two that measure grow with the logarithm of what they count, because the step from 5 to 50 lines matters and
that from 1,000 to 1,045 does not:

    complexity_delta = log2(1 + net control-flow tokens) / 6      1 from 63 tokens on
    loc_changed      = log2(1 + lines added and removed) / 10     1 from 1,023 lines on

In files that a program writes (lock files, bundles, generated code) every value is divided by ten.
"""

import re
from collections.abc import Iterable
from math import log2
from typing import NamedTuple

from signoff.judges.test_results.report_comparison import is_test_path
from signoff.judges.test_results.source_paths import is_generated, is_paired, is_source, subject
from signoff.text.formats.unified_diff import DiffKind, FileDiff

WEIGHTS = {
    "security_path": 3.0,
    "migration": 4.0,
    "public_api": 2.0,
    "no_test_change": 2.5,
    "test_lines_removed": 3.0,
    "complexity_delta": 1.5,
    "ui_critical": 1.5,
    "loc_changed": 1.0,
}
DAMPING = 0.1


class Signal(NamedTuple):
    """A property of a file that makes a mistake in it more likely or more costly."""

    name: str
    weight: float
    value: float


class FileRisk(NamedTuple):
    """A file with its score and where that comes from."""

    path: str
    score: float
    signals: list[Signal]
    is_generated: bool = False


def rate(files: Iterable[FileDiff]) -> list[FileRisk]:
    """Return every file of a diff with its risk, the riskiest first, equal scores by path."""
    changed = _joined(files)
    subjects = frozenset(subject(file.path) for file in changed if is_test_path(file.path))
    rated = [_rate(file, subjects) for file in changed]
    return sorted(rated, key=lambda risk: (-risk.score, risk.path))


def _joined(files: Iterable[FileDiff]) -> list[FileDiff]:
    """Return each path once, because the patches of a series may name one more often."""
    found: dict[str, FileDiff] = {}
    for file in files:
        other = found.get(file.path)
        found[file.path] = file if other is None else other._replace(hunks=[*other.hunks, *file.hunks])
    return list(found.values())


def _rate(file: FileDiff, subjects: frozenset[str]) -> FileRisk:
    """Compute every signal of one file. A signal of value 0 is left out of the result.

    The signals are independent of each other, one line of the table each. Generated files get the same
    signals, multiplied by `DAMPING`.
    """
    path, is_damped = file.path, is_generated(file.path)
    is_test, added, removed = is_test_path(path), file.added, file.removed
    text = "\n".join(line.text for line in added)
    api = _PYTHON_API if path.endswith(".py") else _GO_API if path.endswith(".go") else _API
    declares_api = api.search(text) or (api is _API and _OBJC_MARK.search(text))
    is_changed_source = is_source(path) and file.kind is not DiffKind.DELETED and bool(file.hunks)
    has_test = is_paired(path, subjects) or _INLINE_TEST.search(text)
    values = {
        "security_path": 1.0 if not is_test and is_security_path(path) else 0.0,
        "migration": 1.0 if not is_test and _MIGRATION.search(path) else 0.0,
        "public_api": 1.0 if not is_test and (is_source(path) or is_damped) and declares_api else 0.0,
        "no_test_change": 1.0 if is_changed_source and not has_test else 0.0,
        "test_lines_removed": 1.0 if is_test and len(removed) > len(added) else 0.0,
        "complexity_delta": _scaled(_branches(file, text), 6),
        "ui_critical": 1.0 if not is_test and _UI.search(path) else 0.0,
        "loc_changed": _scaled(len(added) + len(removed), 10),
    }
    damping = DAMPING if is_damped else 1.0
    signals = [
        Signal(name, WEIGHTS[name], round(value * damping, 3)) for name, value in values.items() if value > 0
    ]
    score = round(sum(signal.weight * signal.value for signal in signals), 3)
    return FileRisk(path, score, signals, is_damped)


def _scaled(count: int, bits: int) -> float:
    return min(1.0, log2(1 + count) / bits) if count > 0 else 0.0


# --- paths ---

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECURITY_WORD = re.compile(
    r"auth|authn|authz|authenticate|authentication|authenticator|authorize|authorization|authorisation"
    r"|login|logout|signin|signup|session|sessions|password|passwords|passwd|credential|credentials"
    r"|secret|secrets|token|tokens|jwt|oauth|oidc|saml|sso|mfa|otp|totp|crypto|cryptography|encrypt"
    r"|encryption|decrypt|decryption|cipher|keychain|keystore|permission|permissions|acl|rbac|iam|csrf"
    r"|cors|xss|sanitize|sanitizer|sanitise|security|policy|policies|firewall|payment|payments|billing"
    r"|webhook|webhooks|tls|ssl|certificate|certificates|privacy|gdpr|sudo|sudoers"
)
_SECURITY_FILES = re.compile(
    r"(?:^|/)(?:\.env(?:\.[^/]*)?|Dockerfile[^/]*|\.npmrc|\.pypirc|[^/]*\.entitlements|AndroidManifest\.xml|"
    r"CODEOWNERS|nginx[^/]*\.conf)$|(?:^|/)\.github/workflows/|(?:^|/)\.gitlab-ci\.yml$|\.(?:pem|key|p12|pfx|jks)$"
)
_MIGRATION = re.compile(
    r"\.sql$|(?:^|/)[Mm]igrations?/|(?:^|/)alembic/|(?:^|/)prisma/(?:migrations/|schema\.prisma$)|(?:^|/)db/schema\.rb$|"
    r"(?:^|/)(?:flyway|liquibase)/|\.xcdatamodeld?/|(?:^|/)schemas?\.prisma$"
)
_UI = re.compile(
    r"(?:View|ViewController|Screen|Configuration|Cell|Modifier|Modifiers|Style|Theme)\.swift$"
    r"|(?:Screen|Activity|Fragment|View|Dialog|Theme|Composable|Page)\.kt$"
    r"|(?:Screen|Page|View|Layout|Modal|Dialog|Form)\.(?:[jt]sx|vue|svelte|dart)$"
    r"|\.(?:storyboard|xib)$|(?:^|/)res/(?:layout|navigation)[^/]*/|(?:^|/)(?:page|layout)\.[jt]sx$"
)


def is_security_path(path: str) -> bool:
    """Check whether a path is about security. `author` does not match `auth`, nor `tokenizer` `token`."""
    if _SECURITY_FILES.search(path):
        return True
    return any(_SECURITY_WORD.fullmatch(word.lower()) for word in _WORD.findall(path))


# --- lines ---

_API = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)\n]{0,80}\))?[ \t]+)*"
    r"(?:(?:public|open)\s+(?:[a-z]+\s+){0,4}(?:func|class|struct|enum|protocol|actor|extension|typealias|init|fun|"
    r"interface|object|record|val|var|void|static|[A-Z][\w<>\[\], ]{0,60}\s+\w+\s*\()"
    r"|open\s+fun\b|@objc\b|@Composable\b"
    r"|export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function|class|const|let|var|interface|type|enum|namespace|\{|\*)"
    r"|export\s+default\b|module\.exports\b|exports\.\w+\s*="
    r"|pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+){0,3}(?:fn|struct|enum|trait|mod|type|use|static)\b)",
    re.MULTILINE,
)
_PYTHON_API = re.compile(r"^(?:async\s+)?(?:def|class)\s+[A-Za-z]\w*", re.MULTILINE)
_GO_API = re.compile(r"^(?:func\s+(?:\([^)\n]{0,80}\)\s*)?|type\s+)[A-Z]\w*", re.MULTILINE)
_OBJC_MARK = re.compile(r"@objc\b|@Composable\b")
_FLOW = frozenset(
    {b"if", b"elif", b"guard", b"switch", b"case", b"match", b"when", b"while", b"for", b"catch", b"except"}
)
_TERNARY = re.compile(r"\?(?![.?:\]>)])[^?:\n]{1,80}:")
_WORD_BYTES = bytes(code if chr(code).isalnum() or code in b"_$" else 32 for code in range(128)) + bytes(
    range(128, 256)
)
_INLINE_TEST = re.compile(r"#\[(?:cfg\(test\)|(?:\w+::)?test)", re.MULTILINE)


def _branches(file: FileDiff, added: str) -> int:
    """Count the control flow that a change adds beyond what it removes. Prose and data have none."""
    if not (is_source(file.path) or is_test_path(file.path)):
        return 0
    removed = "\n".join(line.text for line in file.removed)
    return _count_branches(added) - _count_branches(removed)


def _count_branches(text: str) -> int:
    # Splitting bytes is several times faster than a pattern with a dozen words.
    words = text.encode("utf-8", "replace").translate(_WORD_BYTES).split()
    marks = text.count("&&") + text.count("||") + len(_TERNARY.findall(text))
    return marks + sum(map(_FLOW.__contains__, words))
