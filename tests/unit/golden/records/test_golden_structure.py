"""Two state files are held against each other: the shape whole, what counts exactly, words not at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.golden.records.state_comparison import EXACT, compare_shapes, compare_snapshots, is_exact

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def moves(before: object, after: object) -> list[str]:
    return [moved.pointer for moved in compare_shapes(before, after, "")]


def page(document: object, *, escaped: bool = False) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=escaped) + "\n").encode()


@given(JSON)
def test_a_document_does_not_differ_from_itself(document: object) -> None:
    """Else an engine that did not change would fail."""
    assert moves(document, document) == []


@given(JSON, JSON)
def test_what_differs_one_way_differs_the_other_way(one: object, other: object) -> None:
    """A key that went and a key that came are the same kind of news."""
    assert sorted(moves(one, other)) == sorted(moves(other, one))


@given(st.dictionaries(st.text(max_size=3), JSON, min_size=1, max_size=4), st.data())
def test_a_lost_key_is_always_noticed(document: dict[str, object], data: st.DataObject) -> None:
    """A host reads the file by its keys."""
    lost = data.draw(st.sampled_from(sorted(document)))
    assert moves(document, {key: value for key, value in document.items() if key != lost})


@given(st.lists(JSON, min_size=1, max_size=4))
def test_a_lost_item_is_always_noticed(items: list[object]) -> None:
    """One finding fewer is another state."""
    assert moves(items, items[:-1])


@given(st.text(), st.text())
def test_words_may_drift(one: str, other: str) -> None:
    """Polishing a sentence must not need a new capture."""
    assert moves({"plan": [one]}, {"plan": [other]}) == []


@pytest.mark.parametrize("pattern", EXACT)
def test_each_value_that_counts_is_compared_as_it_is(pattern: str) -> None:
    """A list of pointers nobody looks at would be decoration."""
    parts = [("0" if part == "*" else part) for part in pattern.split("/")[1:]]
    before: object = "one"
    after: object = "other"
    for part in reversed(parts):
        before, after = ([before], [after]) if part == "0" else ({part: before}, {part: after})
    assert moves(before, after) == ["/" + "/".join(parts)]


def test_a_star_stands_for_one_part_only() -> None:
    """`/outcomes/*` must not reach into something deeper."""
    assert is_exact("/outcomes/plan")
    assert not is_exact("/outcomes/plan/why")
    assert not is_exact("/outcomes")


def test_the_order_of_keys_counts() -> None:
    """The order on disk is fixed; a moved key is a diff nobody asked for."""
    assert moves({"a": 1, "b": 2}, {"b": 2, "a": 1}) == [""]


def test_a_number_that_becomes_another_kind_of_number_counts() -> None:
    """Typed hosts read 1 and 1.0 into different fields."""
    assert moves({"score": 1}, {"score": 1.0}) == ["/score"]


@given(st.text(alphabet=st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=1))
def test_text_that_is_escaped_differs_from_text_that_is_kept(text: str) -> None:
    """People read these files; `\\u00fc` is no word."""
    kept, escaped = page({"plan": text}), page({"plan": text}, escaped=True)
    assert list(compare_snapshots(kept, escaped))
    assert list(compare_snapshots(kept, kept)) == []


def test_a_backslash_before_a_u_is_no_escape() -> None:
    """A path of Windows in a ticket must not look like another way of writing."""
    assert list(compare_snapshots(page({"a": "C:\\u00fc"}), page({"a": "x"}))) == []


@pytest.mark.parametrize(("before", "after"), [(None, b"{}"), (b"{}", None)])
def test_a_state_file_that_comes_or_goes_counts(before: bytes | None, after: bytes | None) -> None:
    """Nothing is written where nothing was done."""
    assert len(list(compare_snapshots(before, after))) == 1


def test_a_file_that_is_no_json_is_compared_all_the_same() -> None:
    """A torn snapshot is a difference, not a crash."""
    assert list(compare_snapshots(page({}), b'{"a": '))
