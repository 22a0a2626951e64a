"""What changed around a checkout, and whose doing it can be."""

from hypothesis import given
from hypothesis import strategies as st

from signoff.delivery.context.surroundings_comparison import compare
from signoff.domain.machine.surroundings import Fingerprint, Surroundings, Touched

A, B = (1, 10, 100), (2, 20, 200)
NONE: dict[str, Fingerprint] = {}


def around(
    person: dict[str, Fingerprint] = NONE,
    engine: dict[str, Fingerprint] = NONE,
    kept: dict[str, Fingerprint] = NONE,
    growing: dict[str, Fingerprint] = NONE,
    is_whole: bool = True,
) -> Surroundings:
    return Surroundings(person, engine, kept, growing, is_whole)


def test_whatever_becomes_of_a_persons_file_is_a_doubt() -> None:
    before, after = around({"new": A, "gone": A, "same": A}), around({"new": B, "more": A, "same": A})

    assert compare(before, after) == Touched((), ("gone", "more", "new"))


def test_whatever_becomes_of_the_engines_ground_is_certain() -> None:
    before, after = around(engine={"gone": A, "same": A}), around(engine={"stray": A, "same": A})

    assert compare(before, after) == Touched(("gone", "stray"), ())


def test_the_engine_may_add_to_what_is_kept_and_nobody_may_change_it() -> None:
    before, after = around(kept={"a": A, "b": A, "c": A}), around(kept={"a": A, "b": B, "new": A})

    assert compare(before, after) == Touched(("b", "c"), ())


def test_a_journal_may_grow_and_may_not_shrink_vanish_or_be_another_file() -> None:
    journals = dict.fromkeys(("grows", "shrinks", "vanishes", "replaced", "rests"), (10, 0, 7))
    after = {"grows": (11, 0, 7), "shrinks": (9, 0, 7), "replaced": (12, 0, 8), "rests": (10, 0, 7)}

    touched = compare(around(growing=journals), around(growing={**after, "begun": (1, 0, 9)}))

    assert touched == Touched(("replaced", "shrinks", "vanishes"), ())


def test_what_was_seen_only_once_counts_for_nothing_where_not_all_was_seen() -> None:
    """The order of a folder is not fixed, so two partial looks may be at different files."""
    before = around({"seen": A, "only before": A}, is_whole=False)

    assert compare(before, around({"seen": B, "only after": A})) == Touched((), ("seen",))


MARKS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([A, B]))


@given(MARKS, MARKS, MARKS, MARKS)
def test_nothing_is_told_of_what_did_not_change(
    person: dict[str, Fingerprint],
    engine: dict[str, Fingerprint],
    kept: dict[str, Fingerprint],
    growing: dict[str, Fingerprint],
) -> None:
    seen = around(person, engine, kept, growing)

    assert compare(seen, seen) == Touched()
