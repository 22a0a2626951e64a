"""The reader of shell: tokens as they are written, commands as they would run."""

import pytest

from signoff.text.shell.shell_parts import (
    OUTPUT,
    VARIABLE,
    CommandWord,
    Operator,
    Redirection,
    UnreadableShell,
)
from signoff.text.shell.shell_reader import find_commands, tokens


def commands(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in find_commands(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b; c", [["a", "b"], ["c"]]),
        ("a 'b c' \"d\"", [["a", "b c", "d"]]),
        ("if a; then b; fi", [["a"], ["b"]]),
        ("f() { a; }; f", [["f"], ["a"], ["f"]]),
        ("case $x in a) b;; esac", [["case", "\0", "in", "a"], ["b"]]),
        ("a $(b c)", [["b", "c"], ["a", "\0"]]),
        ("a `b`", [["b"], ["a", "\0"]]),
        ("a {b,c}d", [["a", "bd", "cd"]]),
        ("X=1; a $X", [["X=1"], ["a", "1"]]),
        ("X='1 2'; a $X", [["X=1 2"], ["a", "1", "2"]]),
        ("a $'\\x67it'", [["a", "git"]]),
        ("a # b", [["a"]]),
        ("a 2>b <c", [["a"]]),
        ("cat <<E\n$(a)\nE\nb", [["cat"], ["a"], ["b"]]),
        ("cat <<'E'\n$(a)\nE\nb", [["cat"], ["b"]]),
    ],
)
def test_every_command_of_a_text_is_found(text: str, expected: list[list[str]]) -> None:
    """Commands that may run are one flat list, those of a substitution before the command around them."""
    assert commands(text) == expected


@pytest.mark.parametrize("text", ["a 'b", 'a "b', "a $(b", "a `b", "a ${b", "$((1)", "$(" * 50])
def test_what_never_closes_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableShell):
        find_commands(text)


def test_tokens_keep_how_they_are_written() -> None:
    """A token stream neither expands braces nor replaces values."""
    word, operator, redirection, output = tokens("\"$X\"{a,b} && 2>'y z' $(c)")

    assert isinstance(word, CommandWord)
    assert (word.source, word.needs) == ('"$X"{a,b}', (VARIABLE,))
    assert operator == Operator("&&")
    assert isinstance(redirection, Redirection)
    assert (redirection.stream, redirection.operator, redirection.target.text) == ("2", ">", "y z")
    assert isinstance(output, CommandWord)
    assert output.needs == (OUTPUT,)
    assert [word.text for command in output.inner for word in command.words] == ["c"]


def test_a_pipe_knows_what_is_written_into_it() -> None:
    """All commands of a group write into the pipe behind it."""
    last = find_commands("{ a; b; } | c")[-1]

    assert [command.words[0].text for command in last.sources] == ["a", "b"]


def test_here_documents_belong_to_their_command() -> None:
    first, second = find_commands("a <<E; b <<<text\nbody\nE\n")

    assert first.texts == ["body"]
    assert second.texts == ["text"]
