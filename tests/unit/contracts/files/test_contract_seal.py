"""A contract is what was agreed on, or it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.contracts.files.contract_seal import SealCode, broken_seal, plan_drift, seal_of, sealed
from signoff.domain.base.violations import Severity
from signoff.text.json.canonical import digest

CONTRACT = {"version": 1, "goal": "A goal", "tasks": [{"id": "T1"}], "extra": {"a": [1, 2.5, None]}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_a_sealed_contract_that_was_not_touched_is_whole() -> None:
    assert broken_seal(sealed(CONTRACT)) is None
    assert broken_seal(CONTRACT) is None


def test_the_order_of_keys_breaks_no_seal() -> None:
    done = sealed(CONTRACT)

    assert broken_seal(dict(reversed(done.items()))) is None


@pytest.mark.parametrize("change", [{"goal": "another"}, {"new": 1}, {"tasks": []}, {"version": 1.0}])
def test_any_change_of_what_it_says_breaks_the_seal(change: dict[str, object]) -> None:
    found = broken_seal({**sealed(CONTRACT), **change})

    assert found is not None
    assert (found.code, found.path) == (SealCode.SEAL_BROKEN, "/seal")


def test_a_seal_that_is_no_text_is_a_broken_one() -> None:
    assert broken_seal({**CONTRACT, "seal": 7}) is not None
    assert broken_seal({**CONTRACT, "seal": None}) is not None


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_sealing_twice_is_sealing_once(raw: dict[str, object]) -> None:
    done = sealed(raw)

    assert sealed(done) == done
    assert seal_of(done) == seal_of(raw)


def test_a_plan_that_is_still_the_same_has_not_drifted() -> None:
    assert plan_drift(digest(b"# Plan\r\n"), b"# Plan\r\n") is None


def test_a_single_byte_of_the_plan_is_drift() -> None:
    found = plan_drift(digest(b"# Plan\n"), b"# Plan\r\n")

    assert found is not None
    assert (found.code, found.severity) == (SealCode.PLAN_DRIFTED, Severity.ERROR)


def test_a_contract_that_names_no_plan_is_warned_about() -> None:
    found = plan_drift("", b"# Plan\n")

    assert found is not None
    assert (found.code, found.severity) == (SealCode.PLAN_HASH_MISSING, Severity.WARNING)
