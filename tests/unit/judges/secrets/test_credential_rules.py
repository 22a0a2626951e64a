"""What the scan calls a secret, and what it leaves alone."""

import base64
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.judges.secrets.credential_rules import RULE_NAMES
from signoff.judges.secrets.secret_scan import (
    read_allow_list,
    redacted,
    scan_added_lines,
    scan_bytes,
    scan_diff_file,
)
from signoff.text.formats.unified_diff import parse_diff

BODY = "MIIEpAIBAAKCAQEA" + "x7Yz1kLmN3oPqR5s"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def jwt(header: object, payload: object) -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in (header, payload)
    ]
    return ".".join([*parts, "s5T-_" * 9])


# Put together here, so that no scanner of repositories takes this file for a leak.
HEX = "a8f5f167f44f4964" + "e6c998dee827110c"
DRAWN = "Zx9Kq2Lm8Vn4Bt7RwYc3" + "Hd6Jf1Gs5Pq0TuEa8Nb2"
BOT = "MTk4NjIyNDgzNDcxOTI1" + "MjQ4.Gx9Kq2." + DRAWN[:27]
FOUND = [
    (".env", f"API_TOKEN={HEX}", "generic-secret"),
    (".env", f"API_TOKEN={HEX}e6c998de", "generic-secret"),
    ("a.py", f'GITHUB_TOKEN = "{HEX}e6c998de"', "generic-secret"),
    ("a.sh", f"export AUTH_TOKEN={HEX}{HEX}", "generic-secret"),
    (".env", f"TOKEN={HEX}", "generic-secret"),
    ("a.ts", f"const authToken = '{HEX}';", "generic-secret"),
    ("a.sh", f'curl -H "Authorization: Bearer {DRAWN}" https://x', "bearer-token"),
    ("a.ts", f"headers: {{ authorization: `bearer {DRAWN}` }}", "bearer-token"),
    ("a.sh", f"curl -H 'Authorization: Bearer {HEX}' https://x", "bearer-token"),
    ("a.sh", f"curl -u admin:{DRAWN[:20]} https://x", "curl-password"),
    ("a.md", f"curl -s --user 'admin:{DRAWN[:20]}' https://x", "curl-password"),
    ("a.sh", f"curl https://x \\\n  -u admin:{DRAWN[:20]}", "curl-password"),
    ("a.py", f"https://{DRAWN}@github.com/a/b", "url-token"),
    ("a.py", f"https://{DRAWN}:x-oauth-basic@github.com/a/b", "url-token"),
    ("a.py", f"https://{HEX}e6c998de@github.com/a/b", "url-token"),
    ("Dockerfile", f"FROM x\nENV SECRET_KEY={DRAWN}\n", "generic-secret"),
    ("ci/Dockerfile.prod", f"ARG SECRET_KEY={DRAWN}\n", "generic-secret"),
    ("home/.bashrc", f"export SECRET_KEY={DRAWN}\n", "generic-secret"),
    ("a.txt", f"SECRET_KEY={DRAWN}", "generic-secret"),
    ("notes", f"SECRET_KEY={DRAWN}", "generic-secret"),
    ("-", f"SECRET_KEY={DRAWN}\n", "generic-secret"),
    ("a.txt", f"DISCORD={BOT}", "discord-token"),
    ("a.py", 'password = "S3cr3tP' + '@ssw0rd!"', "generic-secret"),
    ("a.py", 'db_password: str = "Tr0ub' + '4dor&3"', "generic-secret"),
    ("a.py", "API_KEY = 'a8f5f167f44f4964" + "e6c998dee827110c'", "generic-secret"),
    ("a.json", '"client_secret": "8Q7x7Yz1k' + 'LmN3oPqR5sT"', "generic-secret"),
    ("a.ts", "const apiToken = `Zx9Kq2Lm" + "8Vn4Bt7R`;", "generic-secret"),
    ("a.ts", "  accessKey: 'Zx9Kq2Lm" + "8Vn4Bt7R',", "generic-secret"),
    ("a.ts", "headers['X-Api-Key'] = 'Zx9Kq2Lm" + "8Vn4Bt7R'", "generic-secret"),
    ("a.yml", "password: Xk29sL" + "q81mZp", "generic-secret"),
    (".env.production", "export SECRET=4fG9kLm2" + "Nq8RtVwX3yZa", "generic-secret"),
    (
        "a.ini",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYzqLmNoKe9x",
        "aws-secret-access-key",
    ),
    ("a.py", "x = 'postgres://admin:hunter" + "22@db.internal:5432/app'", "url-password"),
    ("a.py", "https://bob:Sup3rS3" + "cr3t9@example.com/x.git", "url-password"),
    ("a.py", "https://bob:Sup3%20S3" + "cr3t9@shop.test/x.git", "url-password"),
    (".pytest_cache/v/cache/nodeids", TOKEN, "github-token"),
    (".pytest_cache/notes", "https://bob:Sup3rS3" + "cr3t9@shop.test/x.git", "url-password"),
    (".netrc", "machine api.heroku.com\n  login a@b.c\n  pass" + "word aB3dE9fGh1", "netrc-password"),
    ("id_rsa", "-----BEGIN " + f"RSA PRIVATE KEY-----\n{BODY}\n", "private-key"),
    ("id_rsa", "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n", "private-key"),
    ("a.pem", "-----BEGIN " + f"RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{BODY}\n", "private-key"),
    ("a.py", 'K = "-----BEGIN ' + f'PRIVATE KEY-----\\n{BODY}"', "private-key"),
    ("a.py", 'K = ("-----BEGIN ' + f'PRIVATE KEY-----\\n"\n  "{BODY}")', "private-key"),
    (
        "sa.json",
        '{"type": "service_account", "private_key": "-----BEGIN ' + f'PRIVATE KEY-----\\n{BODY}"}}',
        "gcp-service-account",
    ),
    ("a.txt", jwt({"alg": "HS256"}, {"sub": "1"}), "json-web-token"),
    ("a.txt", "id = '4fG8" + "Q~" + "aB3dE_-fG9h.aB3dE_-fG9h.aB3dE_-fG'", "azure-client-secret"),
    ("a.py", f"token = '{TOKEN}'", "github-token"),
    ("a.txt", "AKIA" + "IOSFODNN7QXAMPLZ", "aws-access-key-id"),
    ("a.py", f'password = "Q1-{TOKEN}"', "github-token"),
]
LEFT_ALONE = [
    ("a.txt", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("a.env", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY"),
    (".env", "NEXT_TOKEN=da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    (".env", "API_TOKEN=da39a3ee5e6b4b0d3255"),
    ("a.md", "Authorization: Bearer YOUR_ACCESS_TOKEN_2026_GOES_HERE"),
    ("a.md", "Authorization: Bearer ${ACCESS_TOKEN_FOR_THE_API_2}"),
    ("a.md", "Bearer authentication-with-opaque-values-v2 is used"),
    ("a.sh", "curl -u admin:$PASSWORD https://x"),
    ("a.sh", "curl -u user:password1234 https://x"),
    ("a.sh", "docker run -u 1000:1000 x\nsort -u a1b2c3:Zx9Kq2Lm8Vn4Bt7R"),
    ("a.py", f"https://{HEX}@o1.ingest.sentry.io/4"),
    ("a.py", "https://deploy-user-of-the-team-2024@github.com/a/b"),
    ("a.py", f"x = secret_key={DRAWN}"),
    ("a.txt", "Your password: at least 8 characters"),
    ("LICENSE", "token: something_else_1"),
    ("a.txt", "MTIzNDU2Nzg5MDEyMzQ1Njc4.is.no-token"),
    ("a.py", 'password = "changeme"'),
    ("a.py", 'password = os.environ["DB_PASSWORD"]'),
    ("a.js", "password = process.env.DB_PASSWORD"),
    ("a.yml", "token: ${GITHUB_TOKEN_2026}"),
    ("a.yml", 'api_key: "{{ lookup_1234abcdXY }}"'),
    ("a.py", 'secret = "<your-secret-1234>"'),
    ("a.py", 'password = "xxxxxxxxxxxx1"'),
    ("a.py", 'password = "aaaaaaaaaaaa"'),
    ("a.py", 'token_url = "https://x.example/abc123DEF456"'),
    ("a.py", 'token = "550e8400-e29b-41d4-a716-446655440000"'),
    ("a.py", 'token = "da39a3ee5e6b4b0d3255bfef95601890afd80709"'),
    ("a.py", 'commit = "da39a3ee5e6b4b0d3255bfef95601890afd80709"'),
    ("a.json", '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kx"'),
    ("a.css", "color: #ff00aa"),
    ("a.html", '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA">'),
    ("a.py", "ghp_" + "x" * 36),
    ("a.py", "sk-ant-" + "your-api-key-here-goes-here"),
    ("a.py", "postgres://user:password@localhost/db"),
    ("a.py", "https://user:pass@example.com"),
    ("a.py", "redis://:${REDIS_PASSWORD}@cache:6379"),
    ("a.py", "ssh://user:pass%20word@shop.test/package.zip"),
    (
        "tests/.pytest_cache/v/cache/nodeids",
        '"test_a.py::test_url[https://bob:Sup3rS3' + 'cr3t9@shop.test/x]"',
    ),
    ("a.py", 'START = b"-----BEGIN ' + 'RSA PRIVATE KEY-----"\nEND = 1'),
    ("a.md", "-----BEGIN " + "RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----"),
    ("a.txt", jwt({"typ": "no signature is named"}, {"sub": "1"})),
    ("a.txt", jwt({"alg": "HS256"}, {"sub": "1"}).replace(".eyJ", ".eyJ{")),
    ("a.txt", "eyJhbGciOiJIUzI1NiJ9.eyJub3QganNvbiBhdCBhbGw." + "x" * 30),
    ("a.py", 'tokenizer = "bert-base-uncased-2048"'),
    ("a.py", 'public_key = "a8f5f167f44f4964e6c998dee827110c"'),
    ("package-lock.json", '"sec' + 'ret": "a8f5f167f44f4964e6c998dee827110c"'),
    ("a.min.js", "x" * 2_000 + 'password="S3cr3tP' + '@ssw0rd!"'),
    ("a.txt", "machine host login me password changeme"),
]


@pytest.mark.parametrize(("path", "text", "rule"), FOUND)
def test_a_secret_is_found_once_and_by_its_name(path: str, text: str, rule: str) -> None:
    assert [secret.rule for secret in scan_bytes(path, text.encode())] == [rule]
    assert rule in RULE_NAMES


@pytest.mark.parametrize(("path", "text"), LEFT_ALONE)
def test_what_stands_for_a_secret_or_only_resembles_one_is_left_alone(path: str, text: str) -> None:
    """Precision first: a scan that cries wolf is switched off."""
    assert scan_bytes(path, text.encode()) == []


@pytest.mark.parametrize(("path", "text", "rule"), FOUND)
def test_no_more_than_four_characters_of_a_secret_are_shown(path: str, text: str, rule: str) -> None:
    secret = scan_bytes(path, text.encode())[0]

    shown = secret.redacted.partition("…")[0]

    assert len(shown) <= 4
    assert redacted(b"12345678") == "12… (8 characters)"


def test_line_numbers_are_those_of_the_file() -> None:
    data = f"one\n{TOKEN}\nthree\n\n  {TOKEN} {TOKEN[:-1]}X\n".encode()

    assert [secret.line for secret in scan_bytes("a", data)] == [2, 5, 5]


def test_line_numbers_of_a_diff_are_those_after_the_change() -> None:
    text = f"--- a/x\n+++ b/x\n@@ -7,2 +7,3 @@\n a\n-b\n+c\n+{TOKEN}\n"

    assert [(s.path, s.line) for s in scan_diff_file(parse_diff(text).files[0])] == [("x", 9)]


def test_a_removed_secret_is_no_finding() -> None:
    text = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{TOKEN}\n+c\n"

    assert scan_diff_file(parse_diff(text).files[0]) == []


def test_a_marker_on_the_line_needs_a_reason() -> None:
    for line, reason in (
        (f"{TOKEN}  # signoff: allow-secret revoked in May", "revoked in May"),
        (f"{TOKEN}  <!-- signoff: allow-secret revoked -->", "revoked"),
        (f"{TOKEN}  # signoff: allow-secret", ""),
        (f"{TOKEN}  /* signoff: allow-secret */", ""),
        (f"# signoff: allow-secret other line\n{TOKEN}", ""),
    ):
        assert scan_bytes("a", line.encode())[0].reason == reason


def test_the_engines_own_gate_heeds_no_marker() -> None:
    """An agent that plants a secret could write the marker as well."""
    text = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{TOKEN} # signoff: allow-secret trust me\n"

    assert [(f.path, f.line, f.code) for f in scan_added_lines(text)] == [("x", 1, "secret")]


def test_the_engines_own_gate_takes_no_example_for_granted() -> None:
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+AKIA" + "IOSFODNN7EXAMPLE\n"

    assert len(scan_added_lines(text)) == 1


def test_two_private_keys_of_one_kind_have_different_digests() -> None:
    """Else an entry that allows one of them would allow them all."""
    keys = [f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}{n}\n-----END RSA" for n in range(2)]

    assert len({scan_bytes("a", key.encode())[0].digest for key in keys}) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[allow]]\npath = "a"\n', "reason"),
        ('[[allow]]\npath = "a"\nreason = " "\n', "no reason"),
        ('[[allow]]\nrule = "github-token"\nreason = "x"\n', "neither a path nor a sha256"),
        ('[[allow]]\npath = "a"\nrule = "nope"\nreason = "x"\n', "there is no rule nope"),
        ('[[allow]]\nsha256 = "12"\nreason = "x"\n', "not 64"),
        ('[[allowed]]\npath = "a"\n', "unknown field"),
        ("[[allow", "Expected"),
    ],
)
def test_an_allow_list_without_reasons_is_refused(text: str, problem: str) -> None:
    found = read_allow_list(text.encode())

    assert found.entries == ()
    assert problem in " ".join(found.problems)


def test_an_entry_allows_only_what_all_of_it_fits() -> None:
    secret = scan_bytes("docs/a.md", TOKEN.encode())[0]
    for line, fits in (
        (f'sha256 = "{secret.digest}"', True),
        (f'sha256 = "{secret.digest}"\npath = "src/**"', False),
        ('path = "docs/**"', True),
        ('path = "docs/**"\nrule = "npm-token"', False),
        (f'sha256 = "{"0" * 64}"', False),
    ):
        entry = read_allow_list(f'[[allow]]\nreason = "x"\n{line}\n'.encode()).entries[0]
        assert entry.fits(secret) is fits


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=400),
        st.lists(st.sampled_from([*(each[1] for each in FOUND), *(each[1] for each in LEFT_ALONE)])).map(
            lambda texts: "".join(texts).encode()
        ),
    )
)
def test_no_bytes_make_the_scan_crash(data: bytes) -> None:
    for secret in scan_bytes("a.env", data):
        assert secret.rule in RULE_NAMES
        assert 1 <= secret.line <= data.count(b"\n") + 1


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN " + "RSA PRIVATE KEY-----\n",
        "-----BEGIN " + f"RSA PRIVATE KEY-----\n{BODY}\n",
        *("eyJ", "eyJ-", "eyJaaaaaaaaaaaa.", "glpat-", "password=", 'password = "', "://a:", "://a:b@"),
        *("machine a login ", "AKIA", "SG.", "password" + " " * 30, "sk-", "xapp-1-", "token" * 3 + "="),
        *("@", "aws_secret_key", "Q~", "Bearer ", "Bearer a", "curl -u a:", "-u", "MTIz", "hvs.", "://a"),
    ],
)
def test_text_made_to_be_slow_is_not(piece: str) -> None:
    """A megabyte of nothing but beginnings, on one line and on many."""
    count = 1_000_000 // len(piece)
    for text in (piece * count, (piece * 20 + "\n") * (count // 20)):
        began = time.process_time()
        scan_bytes("a.env", text.encode())
        assert time.process_time() - began < 3
