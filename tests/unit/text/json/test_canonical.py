"""One way to write a document, and its digest."""

import hashlib
import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.cassettes import CassetteEntry
from signoff.domain.work.contract import Criterion, VerificationMethod
from signoff.text.json.canonical import canonical, contract_digest, digest


def test_keys_are_sorted_at_every_depth_and_spaces_are_gone() -> None:
    assert canonical(b' { "b": [ {"d": 1, "c": 2} ], "a": null } ') == b'{"a":null,"b":[{"c":2,"d":1}]}'


def test_text_is_utf8_and_not_escaped() -> None:
    assert canonical(rb'{"a": "gr\u00fcn / \ud83d\ude00"}') == '{"a":"grün / 😀"}'.encode()


def test_unknown_fields_are_kept() -> None:
    assert b'"of_tomorrow":1' in canonical(b'{"version": 1, "of_tomorrow": 1}')


def test_a_byte_order_mark_is_no_part_of_the_document() -> None:
    assert canonical(b"\xef\xbb\xbf{}") == b"{}"


def test_a_record_is_written_with_its_enums_and_without_its_defaults() -> None:
    record = Criterion(id="C1", description="x", verification_method=VerificationMethod.MANUAL)

    assert canonical(record) == b'{"description":"x","id":"C1","verification_method":"manual"}'


def test_what_a_record_keeps_raw_is_made_canonical_too() -> None:
    entry = CassetteEntry(key=EffectKey("k"), answer=msgspec.Raw(b'{"b": 1, "a": 2}'))

    assert canonical(entry) == b'{"answer":{"a":2,"b":1},"key":"k"}'


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff", b"NaN", b"1e400", b'{"a":1,"a":1}', rb'"\ud800"', b"[" * 9999]
)
def test_bytes_that_readers_disagree_on_have_no_canonical_form(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        canonical(data)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], "\ud800"])
def test_values_that_are_no_json_have_none_either(value: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        canonical(value)


def test_an_object_that_is_no_data_has_none() -> None:
    with pytest.raises(TypeError, match="there is no JSON for object"):
        canonical(object())


def test_a_digest_is_sha256_of_exactly_these_bytes() -> None:
    assert digest(b"abc") == "sha256:" + hashlib.sha256(b"abc").hexdigest()


def test_a_contract_keeps_its_digest_when_it_is_only_laid_out_anew() -> None:
    document = {"version": 1, "goal": "x", "tasks": []}
    anew = dict(reversed(document.items()))

    assert contract_digest(json.dumps(document).encode()) == contract_digest(
        json.dumps(anew, indent=4).encode()
    )


def test_a_contract_gets_another_digest_when_a_value_changes_or_a_field_is_added() -> None:
    digests = {
        contract_digest(raw) for raw in (b'{"a":1}', b'{"a":1.0}', b'{"a":"1"}', b'{"a":1,"b":null}', b"{}")
    }

    assert len(digests) == 5


@settings(deadline=None)
@given(ANY_JSON)
def test_canonical_is_idempotent_and_means_the_same(document: object) -> None:
    once = canonical(json.dumps(document).encode())

    assert canonical(once) == once
    assert json.loads(once) == document


@settings(deadline=None)
@given(ANY_JSON)
def test_bytes_and_the_data_they_stand_for_have_one_form(document: object) -> None:
    if not isinstance(document, bytes):
        assert canonical(json.dumps(document).encode()) == canonical(document)


@settings(deadline=None)
@given(st.dictionaries(JSON_TEXT, ANY_JSON, max_size=6), st.randoms())
def test_the_order_of_keys_makes_no_difference(document: dict[str, object], random: Random) -> None:
    items = list(document.items())
    random.shuffle(items)

    assert canonical(dict(items)) == canonical(document)
