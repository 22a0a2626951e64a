"""What counts as a secret in a file: the providers' shapes, and a few rules that look at the surroundings.

Pure. `judges.secrets.secret_scan` applies them. A provider's format suffices, and only filler is let go.
Everything else (an assignment, a URL with a password, a header, a `.netrc` line) has to look drawn at random
as well: a scan that cries wolf is switched off, and then finds nothing at all.
"""

import json
import re
from base64 import urlsafe_b64decode
from binascii import Error as NoBase64
from collections import Counter
from collections.abc import Callable
from math import log2
from string import hexdigits
from typing import NamedTuple

from signoff.text.redaction import SHAPES

Match = re.Match[bytes]


class SecretRule(NamedTuple):
    """A literal that stands at the start of every match, and the pattern of the match."""

    name: str
    openings: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    accepts: Callable[[Match], bool]
    """The last decision, which may look at the surroundings of the match."""
    is_provider: bool = True


_FILLER = re.compile(
    r"x{4,}|\*{3,}|\.{3,}|your|example|placeholder|insert|replace|dummy|changeme|redacted|"
    r"(.)\1{7,}",
    re.IGNORECASE,
)
_FILLER_IN_KEYS = re.compile(
    r"x{6,}|\*{3,}|your[_-]|placeholder|changeme|redacted|(.)\1{7,}|-here\b", re.IGNORECASE
)
_WORDS = re.compile(
    r"change.?me|example|placeholder|dummy|sample|fake|mock|foo|bar\b|your|xxx|todo|redact|default|"
    r"passw|secret|token|credential|api.?key|user|admin|test|null|none|undefined|insert|replace|enter|"
    r"qwerty|asdf|process\.env|os\.environ|getenv|lorem|demo",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"[<>{}\[\]()|*]|\$[{(]|^\$|\$[A-Z_]{3}|%[sd(]|#\{|\.\.\.|^[%@!&:/\\]|\\[nrtux0-9]")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_DIGEST = re.compile(r"(?:sha(?:1|256|384|512)|md5|integrity)[-:=$]", re.IGNORECASE)
_PART = r"(?:[A-Za-z]+\d{0,3}|v?\d{1,4})"
_NAME = re.compile(rf"{_PART}(?:[_.:/-]{_PART})*")
"""Words put together: an identifier, a dotted name, a media type, a version."""


def is_placeholder(value: str) -> bool:
    """Check whether a value stands for a secret rather than being one."""
    return bool(
        _FILLER.search(value)
        or _WORDS.search(value)
        or _TEMPLATE.search(value)
        or _UUID.fullmatch(value)
        or _DIGEST.search(value)
        or "://" in value
    )


# --- randomness ---


def shannon(value: bytes | str) -> float:
    """Return Shannon's entropy in bits per character, 0 for an empty string or one repeated character.

    It tells a drawn value from a word only together with length and kinds of characters, because no string of
    eight can reach what one of forty does.
    """
    size = len(value)
    if size == 0:
        return 0.0
    return -sum(count / size * log2(count / size) for count in Counter(value).values())


def kinds(value: str) -> int:
    """Count which of lower case, upper case, digits and others a string has."""
    return (
        any("a" <= char <= "z" for char in value)
        + any("A" <= char <= "Z" for char in value)
        + any("0" <= char <= "9" for char in value)
        + any(not (char.isascii() and char.isalnum()) for char in value)
    )


def looks_drawn(value: str) -> bool:
    """Check whether a value could be drawn at random rather than written by a person as a word or a name.

    Precision first: a passphrase of plain words is not recognised.
    """
    if len(value) < 8 or not any(char.isdigit() for char in value):
        return False
    bits, has = shannon(value), kinds(value)
    if len(value) < 12:
        return has >= 3 and bits >= 2.75
    if len(value) < 20:
        return bits >= (2.75 if has >= 3 else 3.3)
    return bits >= (3.0 if has == 2 and set(value) <= set(hexdigits) else 3.5)


# --- providers ---


def _is_no_filler(found: Match) -> bool:
    value = found[0].decode("ascii", "replace")
    body = re.split(r"[-_.=]", value, maxsplit=1)[-1]
    return not _FILLER_IN_KEYS.search(value) and shannon(body) >= 0.9


def _decoded_part(data: bytes) -> object:
    try:
        return json.loads(urlsafe_b64decode(data + b"=" * (-len(data) % 4)))
    except (NoBase64, ValueError, RecursionError):
        return None


def _is_web_token(found: Match) -> bool:
    header, payload, _ = found[0].split(b".")
    said = _decoded_part(header)
    return isinstance(said, dict) and "alg" in said and isinstance(_decoded_part(payload), dict)


def _start_of_line(found: Match, most: int) -> bytes:
    """Return the text before a match on its line, or only its last `most` bytes."""
    first = max(0, found.start() - most)
    start = found.string.rfind(b"\n", first, found.start())
    return found.string[start + 1 if start >= 0 else first : found.start()]


_BREAK = rb"(?:\\[nr]|\s){0,8}"
_KEY_BODY = re.compile(
    # The key goes on in the next string of a program, or behind line breaks that may be written as escapes;
    # lines such as `Proc-Type: 4,ENCRYPTED` may come first.
    rb"-----" + _BREAK + rb"(?:[\"'][\s+,.\\()]{0,40}[bBrRuU]{0,2}[\"']" + _BREAK + rb")?"
    rb"(?:[A-Za-z-]{2,20}:[^\n\\]{0,80}" + _BREAK + rb"){0,3}[A-Za-z0-9+/=]{12}"
)


def _is_private_key(found: Match) -> bool:
    """Check whether a key follows its first line. A program that only knows the line holds no key."""
    data, start = found.string, found.start()
    end = data.find(b"-----", start + 11)
    before = _start_of_line(found, 80).strip(b" \t")
    after = data[end + 5 : end + 7]
    stands_alone = not before and (not after or after[:1] in b"\r\n")
    if stands_alone and not data[end + 5 : end + 8].strip():
        return True  # the first line of a key is all that is shown
    return _KEY_BODY.match(data, end) is not None


_AZURITE = b"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"
"""The storage emulator's own key, the same on every machine."""


_ACCEPTS: dict[str, Callable[[Match], bool]] = {
    "json-web-token": _is_web_token,
    "private-key": _is_private_key,
    "azure-storage-key": lambda found: not found[0].startswith(_AZURITE) and _is_no_filler(found),
}


_PATTERNS: dict[str, re.Pattern[bytes]] = {
    # `redact` takes the body along. Here the first line will do: looking for the end from each of a million
    # first lines would take for ever.
    "private-key": re.compile(rb"-----BEGIN [A-Z ]{0,12}PRIVATE KEY(?: BLOCK)?-----"),
    # Not inside a longer run, for the same reason.
    "json-web-token": re.compile(
        rb"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,12000}"
        rb"\.[A-Za-z0-9_-]{20,2000}"
    ),
}


_DOCUMENTED = re.compile(rb"A[A-Z]{3}[A-Z0-9]{9}EXAMPLE|[A-Za-z0-9/+]{30}EXAMPLEKEY")


def is_documented(value: bytes) -> bool:
    """Check whether this is a key from Amazon's own manuals, all of which end in the same word."""
    return _DOCUMENTED.fullmatch(value) is not None


# --- rules that look around ---

_KEYWORDS = (
    b"password",
    b"passwd",
    b"passphrase",
    b"pwd",
    b"secret",
    b"token",
    b"apikey",
    b"api-key",
    b"accesskey",
    b"access-key",
    b"credential",
    b"_key",
)
_STRONG = re.compile(
    rb"passw|pwd|passphrase|secret|api.?key|private.?key|access.?key|credential", re.IGNORECASE
)
_NAMED_TOKEN = re.compile(rb"[\w.-]*[A-Za-z0-9](?:[_.-]?(?i:token)|Token)|TOKEN")
"""A token for something, or a variable of the environment. A name that is just `token` may be any id."""
_ABOUT = re.compile(
    rb"(?:public|primary|foreign|partition|sort|cache|dict|object|row|group|index|lookup|storage|next|page|"
    rb"continuation|max|num|count|csrf.?cookie|bos|eos|pad|unk|mask|sep|cls|special|stop|next)[_-]?$",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    rb"(?:file|path|url|uri|name|id|ids|header|type|class|prefix|suffix|regex|pattern|label|hash|env|var|"
    rb"variable|field|hint|message|error|help|text|title|length|size|len|format|kind|list|map|store|manager|"
    rb"provider|endpoint|izer|ize|policy|version|arn|ref|digest|checksum|sha|alias|attr|column|param|dir)s?$",
    re.IGNORECASE,
)
_ASSIGNED = (
    rb"(?P<rest>[\w.-]{0,40}+)[\"'`\]]{0,2}+\s{0,4}+(?::\s{0,3}[\w.\[\]| ?]{1,40}\s{0,3}(?==))?"
    rb"(?:=>|:=|[:=])(?![=])\s{0,4}"
)
_QUOTED = rb"[bBrRuU@]{0,2}(?:\"(?P<a>[^\"\s\\]{8,200})\"|'(?P<b>[^'\s\\]{8,200})'|`(?P<c>[^`\s\\]{8,200})`)"
_BARE = rb"(?P<d>[^\s\"'`#;,]{8,200})(?=[ \t]*(?:$|[\r\n#;]))"
ASSIGNMENT = re.compile(rb"(?i:" + b"|".join(_KEYWORDS) + rb")" + _ASSIGNED + _QUOTED)
BARE_ASSIGNMENT = re.compile(rb"(?i:" + b"|".join(_KEYWORDS) + rb")" + _ASSIGNED + _BARE)
KEYWORDS = tuple(_KEYWORDS)
_BARE_PATH = re.compile(
    # A name without an ending is a Dockerfile, a `.bashrc`, a note, or `-` for standard input.
    r"(?:^|/)(?:\.env[^/]*|Dockerfile\.[^/]*|\.?[^/.]+)$"
    r"|\.(?:env|properties|ini|cfg|conf|ya?ml|sh|bash|zsh|envrc|tfvars|txt|dockerfile)$",
    re.I,
)
_BARE_START = re.compile(rb"\s*(?:-\s+|export\s+|set\s+|ENV\s+|ARG\s+)?[\"']?[\w.-]*$")
_KEY_START = re.compile(rb"[\w.-]{0,40}$")


def allows_bare(path: str) -> bool:
    """Check whether a value needs no quotes in a file of that name."""
    return _BARE_PATH.search(path) is not None


def assigned(found: Match) -> str | None:
    """Return the value of an assignment if it is a secret, else None.

    The words before and behind the keyword can make it a name, a path or a setting instead. The value itself
    must look drawn at random.
    """
    data, start = found.string, found.start()
    line = _start_of_line(found, 200)
    said = next(
        name for name in ("a", "b", "c", "d") if name in found.groupdict() and found[name] is not None
    )
    if said == "d" and not _BARE_START.match(line):
        return None
    before = _KEY_START.search(line)
    key = (before[0] if before else b"") + data[start : found.start("rest")] + found["rest"]
    if _ABOUT.search(before[0] if before else b"") or _ABOUT_IT.search(found["rest"]):
        return None
    value = found[said].decode("utf-8", "replace")
    # How long a value of hexadecimal digits must be, 0 if the name tells too little about it.
    least_hex = 20 if _STRONG.search(key) else 32 if _NAMED_TOKEN.fullmatch(key) else 0
    return value if _is_secret_value(value, least_hex=least_hex) else None


def _is_secret_value(value: str, *, least_hex: int) -> bool:
    if is_placeholder(value) or _NAME.fullmatch(value) or not looks_drawn(value):
        return False
    if _HEX.fullmatch(value):
        return 0 < least_hex <= len(value)
    return not (value.count("/") > 3 or value.count(".") > 3 or value.startswith(("/", "./", "data:")))


def _is_drawn(least_hex: int) -> Callable[[Match], bool]:
    """Return the rule that the value looks drawn, and has so many digits if they are hexadecimal."""
    return lambda found: _is_secret_value(found["value"].decode("utf-8", "replace"), least_hex=least_hex)


_URL_PASSWORD = re.compile(
    rb"://(?P<user>[^\s/:@'\"<>(){}`]{0,64}):(?P<value>[^\s/:@'\"<>`]{3,128})@(?P<host>[A-Za-z0-9\[][\w.:\[\]-]{0,252})"
)
_NEAR = re.compile(
    rb"localhost|127\.0\.0\.1|\[::1\]|host|hostname|server|(?:.*\.)?example(?:\.\w+)?", re.IGNORECASE
)


_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")


def _is_url_password(found: Match) -> bool:
    value, user = found["value"].decode("utf-8", "replace"), found["user"].decode("utf-8", "replace")
    plain = _ESCAPED.sub("", value)
    if is_placeholder(plain) or value.lower() in ("pass", "pw", "pwd", "pswd", "x-oauth-basic", user.lower()):
        return False
    if _NEAR.fullmatch(found["host"].partition(b":")[0]):
        return looks_drawn(value)
    return kinds(value) >= 2 and len(value) >= 6


_URL_TOKEN = re.compile(
    rb"://(?P<value>[A-Za-z0-9_.~-]{20,200})(?::x-oauth-basic)?@[A-Za-z0-9\[][\w.:\[\]-]{0,252}"
)


_BEARER = re.compile(rb"[Bb]earer[ ]{1,4}(?P<value>[A-Za-z0-9._~+/-]{20,2000}={0,2})(?![\w.~+/=-])")


_CURL_PASSWORD = re.compile(
    rb"(?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$-][^\s:\"'$]{0,63}:(?P<value>[^\s\"'@:]{8,128})(?![^\s\"'])"
)


def _is_curl_password(found: Match) -> bool:
    data, start = found.string, found.start()
    before = data[max(0, start - 300) : start].replace(b"\\\n", b" ").rpartition(b"\n")[2]
    said = found["value"].decode("utf-8", "replace")
    return re.search(rb"\bcurl\s", before) is not None and _is_secret_value(said, least_hex=20)


_NETRC = re.compile(
    rb"machine\s{1,8}\S{1,253}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}(?:account\s{1,8}\S{1,200}\s{1,8})?"
    rb"password\s{1,8}(?P<value>\S{3,200})"
)


def _is_netrc(found: Match) -> bool:
    value = found["value"].decode("utf-8", "replace")
    return not is_placeholder(value) and kinds(value) >= 2


_AWS_SECRET = re.compile(
    rb"(?i:aws_secret_access_key|aws_secret_key|secretaccesskey)[\"'\]]{0,2}\s{0,4}(?:=>|[:=])\s{0,4}[\"']?"
    rb"(?P<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)


def _is_aws_secret(found: Match) -> bool:
    value = found["value"].decode("ascii")
    return kinds(value) >= 3 and shannon(value) >= 3.5


_AZURE_CLIENT = re.compile(rb"Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])")


def _is_azure_client(found: Match) -> bool:
    before = found.string[max(0, found.start() - 5) : found.start()]
    return re.search(rb"(?:^|[^A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\d$", before) is not None


# The number of the account in base64, hence digits in threes: only a few characters can stand at each place.
_DISCORD = re.compile(
    rb"(?<![A-Za-z0-9_.-])(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,3}"
    rb"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"
)


RULES: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            shape.kind,
            tuple(opening.encode() for opening in shape.openings),
            _PATTERNS.get(shape.kind) or re.compile(shape.pattern.encode()),
            _ACCEPTS.get(shape.kind, _is_no_filler),
        )
        for shape in SHAPES
    ),
    SecretRule(
        "aws-secret-access-key",
        (b"aws_secret", b"AWS_SECRET", b"secretAccessKey", b"SecretAccessKey"),
        _AWS_SECRET,
        _is_aws_secret,
    ),
    SecretRule("azure-client-secret", (b"Q~",), _AZURE_CLIENT, _is_azure_client),
    SecretRule(
        "discord-token",
        (b"MT", b"Mj", b"Mz", b"ND", b"NT", b"Nj", b"Nz", b"OD", b"OT"),
        _DISCORD,
        _is_no_filler,
    ),
    # Error trackers are addressed with 32 hexadecimal digits, which are public.
    SecretRule("url-token", (b"://",), _URL_TOKEN, _is_drawn(40), is_provider=False),
    SecretRule("bearer-token", (b"Bearer ", b"bearer "), _BEARER, _is_drawn(32), is_provider=False),
    SecretRule("curl-password", (b"-u", b"--user"), _CURL_PASSWORD, _is_curl_password, is_provider=False),
    SecretRule("url-password", (b"://",), _URL_PASSWORD, _is_url_password, is_provider=False),
    SecretRule("netrc-password", (b"machine",), _NETRC, _is_netrc, is_provider=False),
)

GENERIC = "generic-secret"
SERVICE_ACCOUNT = "gcp-service-account"
RULE_NAMES = frozenset({*(rule.name for rule in RULES), GENERIC, SERVICE_ACCOUNT})
