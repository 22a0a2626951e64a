"""Reading a text as words: what is said, and what is quoted, code or a name."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.intake.refinement.text_words import LONGEST_TEXT, WordKind, is_name, read_words
from signoff.intake.refinement.word_roles import forms


def said(text: str) -> list[str]:
    return [word.text for word in read_words(text).words if word.kind is WordKind.PLAIN]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Add a flag", ["add", "a", "flag"]),
        ("drop/delete it", ["drop", "delete", "it"]),
        ("see src/button/color.py", ["see"]),
        ("the table.Drop it", ["the", "table", "drop", "it"]),
        ("say \"drop it\" and 'stop it'", ["say", "and"]),
        ("don't use users' data", ["don't", "use", "users", "data"]),
        ('a 5" screen and a 6" one', ["a", "screen", "and", "a", "one"]),
        ("**Add** _this_", ["add", "this"]),
        ("call formatPrice and user_name()", ["call", "and"]),
        ("see https://example.org/button?drop=table", ["see"]),
        ("> quoted line\nsaid line", ["said", "line"]),
        ("before\n```sql\ndrop it\n```\nafter", ["before", "after"]),
        ("ｄｒｏｐ d\u200brop", ["drop", "drop"]),
        ("<!-- drop --> add", ["add"]),
    ],
)
def test_only_what_is_said_is_a_word(text: str, words: list[str]) -> None:
    """A name or a quotation would be taken for what somebody wants."""
    assert said(text) == words


@pytest.mark.parametrize(
    "name",
    [
        "src/a.py",
        "a.tsx",
        "user_name",
        "formatPrice",
        "UserService",
        "App\\Models\\User",
        "Foo::bar",
        "/api/users",
        "--quiet",
        "docs/",
    ],
)
def test_names_of_things_are_names(name: str) -> None:
    """A prompt that names its place would be asked for it."""
    assert is_name(name)


@pytest.mark.parametrize("word", ["add", "Add", "API", "GitHub", "and/or", "drop-down", "iPhone", "macOS"])
def test_words_are_no_names(word: str) -> None:
    """A word would bound the scope of a prompt that names nothing."""
    assert not is_name(word)


@pytest.mark.parametrize(
    ("base", "form"),
    [("drop", "dropped"), ("wipe", "wiping"), ("apply", "applies"), ("fix", "fixes"), ("rewrite", "rewrote")],
)
def test_a_verb_has_its_forms(base: str, form: str) -> None:
    """A form of a listed verb would not be recognised."""
    assert form in forms(base)


@given(st.text(max_size=300))
def test_quoting_a_text_leaves_no_word_of_it(text: str) -> None:
    """What somebody quotes would be taken for what they want."""
    clean = "".join(char for char in text if char not in "`\n\r" and not char.isspace()) or "x"

    assert said(f"`{clean}`") == []


@pytest.mark.parametrize(
    "piece", ['"', "'", " 'a", "`", "```\n", "“", "[", "a" * 50, "<!--", "a.", "do not ", "x/"]
)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    """A ticket of nothing but quotation marks would stop a run for minutes."""
    text = (piece * LONGEST_TEXT)[:LONGEST_TEXT]
    began = time.process_time()

    read_words(text)

    assert time.process_time() - began < 5
