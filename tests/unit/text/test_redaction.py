"""The shapes of secrets, and what redaction leaves of a text."""

import re
from re import _parser  # type: ignore[attr-defined]  # the only one who knows a pattern's width

import pytest

from signoff.text.redaction import CONTEXT, MARK, SHAPES, SecretShape, redact, redaction

# Put together here, so that no scanner of repositories takes this file for a leak.
EXAMPLES = {
    "aws-access-key-id": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "Y34FZKBOKMUTVV7A"],
    "github-token": ["ghp_" + "a1B2" * 9, "ghs_" + "Z9" * 18, "github_pat_" + "11ABCDEFG0_" + "x" * 59],
    "slack-token": [
        "xoxb-" + "123456789012-1234567890123-" + "AbCdEfGhIjKl",
        "xoxe-" + "1-My0xLTEyMzQ1",
        "xapp-" + "1-A012BCDEF34-" + "a1b2c3" * 4,
    ],
    "anthropic-or-openai-key": ["sk-ant-" + "api03-" + "aB3_-" * 18, "sk-proj-" + "Ab_1-" * 30],
    "openai-key": ["sk-" + "abcdEFGH1234" * 4],
    "google-api-key": ["AIza" + "SyA-1234567890_abcdefghijklmnopqrst"],
    "stripe-key": [
        "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "rk_live_" + "51H8f2eK0aBcDeFgH",
        "whsec_" + "aB3dE9fG" * 4,
    ],
    "gitlab-token": ["glpat-" + "aB3_-" * 4, "glrt-" + "x1Y2z" * 4],
    "slack-webhook": ["https://hooks.slack.com/" + "services/T01ABCDEF/B01ABCDEF/" + "aB3dE" * 4 + "x9Yz"],
    "google-oauth-secret": ["GOCSPX-" + "aB3dE_-" * 4],
    "google-oauth-token": ["ya29." + "a0AfH6SMB-_" * 4],
    "sendgrid-key": ["SG." + "aB3dE_-fG9h" * 2 + "." + "aB3dE_-fG9h" * 3 + "aB3dE_-fG9"],
    "twilio-key": ["SK" + "0123456789abcdef" * 2],
    "azure-storage-key": ["AccountKey=" + "aB3+/dE9fGh" * 7 + "aB3+/dE9f" + "=="],
    "azure-access-key": ["SharedAccessKey=" + "aB3+/dE9fGh" * 3 + "aB3+/dE9fG" + "="],
    "hugging-face-token": ["hf_" + "aBcDeFgHiJkLmNoPq" * 2, "hf_" + "aB3dE9fGh1JkLm2Pq" * 2],
    "shopify-token": ["shpat_" + "0123456789abcdef" * 2, "shpss_" + "0123456789ABCDEF" * 2],
    "vault-token": ["hvs." + "aB3dE9fG" * 3, "hvs." + "CAESI_-aB3" * 9 + "x", "hvb." + "aB3_-" * 30],
    "docker-token": ["dckr_pat_" + "aB3dE_-fG" * 3, "dckr_oat_" + "aB3dE_-f" * 4],
    "groq-key": ["gsk_" + "aB3dE9fGh1JkL" * 4],
    "linear-key": ["lin_api_" + "aB3dE9fGh1" * 4],
    "figma-token": ["figd_" + "aB3d_-fGh1" * 4],
    "doppler-token": ["dp.pt." + "aB3dE9fGh1" * 4 + "xYz", "dp.st.prod_eu." + "aB3dE9fGh1" * 4 + "xYz"],
    "age-secret-key": ["AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MU" * 2],
    "square-token": ["sq0csp-" + "aB3d_-fGh1" * 4 + "xYz", "sq0atp-" + "aB3d_-fGh1" * 2 + "xY"],
    "facebook-token": ["EAACEdEose0" + "cBA" + "aB3dE9fGh1" * 4],
    "digitalocean-token": ["dop_v1_" + "0123456789abcdef" * 4],
    "npm-token": ["npm_" + "aBcDeFgHiJ" * 3 + "123456"],
    "pypi-token": ["pypi-" + "AgEIcHlwaS5vcmc" + "CJDA1_-xYz" * 12],
    "json-web-token": ["eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + "." + "s5T-_" * 9],
    "private-key": [
        "-----BEGIN " + f"{owner}PRIVATE KEY{block}-----\nMIIEow+/=\n-----END {owner}PRIVATE KEY{block}-----"
        for owner, block in (("", ""), ("RSA ", ""), ("OPENSSH ", ""), ("PGP ", " BLOCK"))
    ],
}
LOOK_BEHIND = re.compile(r"\(\?<[=!](.+?)\)")
ALL_EXAMPLES = [example for examples in EXAMPLES.values() for example in examples]

HARMLESS = [
    "task-0123456789abcdef0123456789abcdef is done",
    '<div class="sk-folding-cube sk-estimator-doc-link-with-a-long-name">',
    "xoxo-love-and-kisses-to-all-of-you",
    "npm_config_registry=https://registry.example.org/and/some/more",
    "gho_st in the shell, ghp_short",
    "AKIA in capitals: MAKIAVELLIANISMUNDMEHRX",
    "-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----",
    "eyJhbGciOiJIUzI1NiJ9 alone is only base64 of a brace",
    "pypi-simple-and-a-rather-long-name-of-a-package-that-goes-on-and-on",
    "sk_live_ and sk_test_ are prefixes",
    "AIzaSyA" + "x" * 80,
    "hvs.someLongNameOfAFunctionCalled() and self.hvs.anotherOneThatIsLongEnough()",
    "gsk_model_for_conditional_generation_with_a_rather_long_name_and_more",
    "hf_model_name_or_path_to_the_configuration_file",
    "dp.pt. and dp.st.dev are prefixes",
]


@pytest.mark.parametrize("secret", ALL_EXAMPLES)
def test_a_provider_shaped_secret_is_replaced_wherever_it_stands(secret: str) -> None:
    for before, after in (("", ""), ("token=", "\n"), ('"', '"'), ("(", "),"), ("https://x:", "@host/")):
        assert redact((before + secret + after).encode()) == before.encode() + MARK + after.encode()


@pytest.mark.parametrize("secret", ALL_EXAMPLES)
def test_an_escape_sequence_before_a_secret_does_not_hide_it(secret: str) -> None:
    """In JSON the letter n of a line break stands before it, in coloured output the m of the colour."""
    for before in (r"line\n", r"\t", "\x1b[0m", "\x1b[32m"):
        assert redact((before + secret).encode()) == before.encode() + MARK


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_resembles_a_secret_is_left_alone(text: str) -> None:
    assert redact(text.encode()) == text.encode()


def test_every_kind_of_shape_has_an_example() -> None:
    assert {shape.kind for shape in SHAPES} == set(EXAMPLES)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.openings[0])
def test_a_shape_states_its_openings_and_reach_truly(shape: SecretShape) -> None:
    """A stream is cut by them: a reach too short or an opening forgotten would let a secret through."""
    pattern = re.compile(shape.pattern.encode())
    widest = _parser.parse(shape.pattern).getwidth()[1]
    matching = [e for e in ALL_EXAMPLES if (m := pattern.match(e.encode())) and m.end() == len(e)]

    assert shape.reach >= widest + 1
    assert matching
    assert all(example.startswith(shape.openings) for example in matching)
    assert all(
        _parser.parse(behind).getwidth()[1] <= CONTEXT for behind in LOOK_BEHIND.findall(shape.pattern)
    )


def test_a_private_key_goes_with_its_body_even_where_its_end_is_missing() -> None:
    body = ("MIIEpAIBAAKCAQEA" * 4 + "\n") * 20
    cut_off = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + body

    assert redact(cut_off.encode() + b"and more text") == MARK + b"\nand more text"
    assert redact(cut_off.replace("\n", r"\n").encode()) == MARK + rb"\n"


def test_known_values_are_replaced_the_longer_one_first() -> None:
    assert redact(b"pass=hunter2-long, hunter2!", ["hunter2", "hunter2-long"]) == (
        b"pass=[redacted], [redacted]!"
    )


def test_a_known_value_is_also_found_as_json_writes_it() -> None:
    secret = 'quote " back \\ line\nü'

    for text in (secret, r"quote \" back \\ line\nü", r"quote \" back \\ line\n\u00fc"):
        assert redact(f"[{text}]".encode(), [secret]) == b"[" + MARK + b"]"


def test_a_known_value_may_hold_what_means_something_in_a_pattern() -> None:
    assert redact(b"a.c abc", ["a.c"]) == MARK + b" abc"
    assert redact(b"\xff(x)+", ["\udcff(x)+"]) == MARK


def test_an_empty_value_is_no_secret() -> None:
    assert redact(b"nothing to hide", [""]) == b"nothing to hide"


def test_the_rules_name_every_literal_that_a_match_can_begin_with() -> None:
    rules = redaction(["hunter2"])

    assert (b"hunter2", 7) in rules.openings
    assert all(any(e.encode().startswith(o) for o, _ in rules.openings) for e in ALL_EXAMPLES)
