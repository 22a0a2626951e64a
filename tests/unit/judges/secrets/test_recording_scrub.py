"""Credentials are taken out of a recording, and what is left can still be played."""

import json

from hypothesis import given
from hypothesis import strategies as st

from signoff.judges.secrets.recording_scrub import scrub_json, scrub_patch

KEY = "sk-ant-" + "a1B2" * 8
BLOCK = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA\n" * 3 + "-----END RSA PRIVATE KEY-----"


def patch(*lines: str, path: str = "a.txt") -> str:
    added = sum(line[0] in "+ " for line in lines)
    gone = sum(line[0] in "- " for line in lines)
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,{gone} +1,{added} @@\n"
    return head + "".join(f"{line}\n" for line in lines)


def nowhere(_path: str, _said: bytes) -> bool:
    return False


def test_a_known_value_and_a_shape_are_replaced_in_place() -> None:
    found = scrub_patch(patch(f"+key = {KEY}", "+word = hunter22hunter"), ("hunter22hunter",), nowhere)

    assert found.text == patch("+key = [redacted]", "+word = [redacted]")
    assert found.paths == ("a.txt",)


def test_a_key_of_many_lines_stays_as_many_lines() -> None:
    """With fewer lines than its head says, git refuses the whole patch."""
    found = scrub_patch(patch(*(f"+{line}" for line in BLOCK.split("\n")), "+end"), (), nowhere)

    assert found.text == patch(*["+[redacted]"] * 5, "+end")


def test_what_the_base_holds_already_is_left_alone() -> None:
    """A changed context line would make the patch unfit for the tree it is for."""
    whole = patch(f" fixture = {KEY}", "+more") + patch(f"+leak = {KEY}", path="b.txt")

    found = scrub_patch(whole, (), lambda path, said: path == "a.txt" and said == KEY.encode())

    assert found.text == patch(f" fixture = {KEY}", "+more") + patch("+leak = [redacted]", path="b.txt")
    assert found.paths == ("b.txt",)


def test_binary_changes_are_not_touched() -> None:
    whole = f"diff --git a/x b/x\nindex 0..1\nGIT binary patch\nliteral 9\n{KEY}\n\n@@ no hunk\n"

    assert scrub_patch(whole, (), nowhere) == (whole, ())


@given(
    st.recursive(st.text() | st.none() | st.integers(-9, 9), lambda inner: st.lists(inner, max_size=3)),
    st.sampled_from((KEY, BLOCK, 'pass"word\n12')),
)
def test_an_answer_stays_json_and_loses_every_secret(value: object, secret: str) -> None:
    data = json.dumps({"a": [value, f"x {secret} y"], secret: secret}).encode()

    cleaned = json.loads(scrub_json(data, ('pass"word\n12',)))

    assert secret not in json.dumps(cleaned, ensure_ascii=False)
    assert json.dumps(secret)[1:-1] not in json.dumps(cleaned)


def test_an_answer_without_secrets_keeps_its_bytes() -> None:
    data = b'{ "kind" : "done" }'

    assert scrub_json(data, ("hunter22hunter",)) == data
