"""Words and operators as a shell reads them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.text.shell.shell_words import Operator, PlainRedirection, ShellProblem, ShellWord, Token, split


def tokens(command: str) -> tuple[Token, ...]:
    found = split(command)
    assert not isinstance(found, ShellProblem), found
    return found


def texts(command: str) -> list[str]:
    return [token.text for token in tokens(command) if isinstance(token, ShellWord)]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("npm test", ["npm", "test"]),
        ("grep 'a b' x", ["grep", "a b", "x"]),
        ('grep "a \\"b\\" $" x', ["grep", 'a "b" $', "x"]),
        ("a\\ b c", ["a b", "c"]),
        ("a'b'\"c\"d", ["abcd"]),
        ("echo ''", ["echo", ""]),
        ("npm test # all of them", ["npm", "test"]),
        ("echo a#b", ["echo", "a#b"]),
        ("npm \\\n test", ["npm", "test"]),
        ('grep "foo$" x', ["grep", "foo$", "x"]),
        ("grep 'a$b`c' x", ["grep", "a$b`c", "x"]),
        ('grep "\\d\\$x" f', ["grep", "\\d$x", "f"]),
    ],
)
def test_quotes_are_honoured(command: str, words: list[str]) -> None:
    """A pattern with a space is one word."""
    assert texts(command) == words


def test_operators_and_redirections_are_told_apart_from_words() -> None:
    """What stands between commands is not theirs."""
    assert tokens("a&&b||c;d|e 2>&1 >x &>/dev/null") == (
        ShellWord("a", "a"),
        Operator("&&"),
        ShellWord("b", "b"),
        Operator("||"),
        ShellWord("c", "c"),
        Operator(";"),
        ShellWord("d", "d"),
        Operator("|"),
        ShellWord("e", "e"),
        PlainRedirection("2", ">&", "1"),
        PlainRedirection("", ">", "x"),
        PlainRedirection("", "&>", "/dev/null"),
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo $HOME", "variable"),
        ('echo "$HOME"', "variable"),
        ("echo ${x}", "variable"),
        ("echo $?", "variable"),
        ("echo $(date)", "output of another command"),
        ('echo "`date`"', "output of another command"),
        ("cat <<EOF", "text written into the command"),
        ("cat <<< x", "text written into the command"),
        ("echo 'a", "never closed"),
        ('echo "a', "never closed"),
        ("echo \\", "backslash"),
        ("echo $'a'", "quotes with `$`"),
        ("echo >", "leads nowhere"),
        ("x" * 5_000, "longer than"),
    ],
)
def test_what_only_a_running_shell_knows_is_a_problem(command: str, why: str) -> None:
    """Nothing is guessed."""
    found = split(command)
    assert isinstance(found, ShellProblem)
    assert why in found.why


def test_a_word_remembers_what_the_shell_would_act_on() -> None:
    """A wildcard in quotes is a character, outside of them a search for files."""
    bare, quoted, braces, home, setting = (
        ShellWord(*word)
        for word in tokens("*.ts '*.ts' a.{ts,js} ~/x FOO='a b'")
        if isinstance(word, ShellWord)
    )
    assert bare.has_wildcard
    assert not quoted.has_wildcard
    assert braces.has_braces
    assert home.is_home
    assert setting.is_assignment


@given(st.text(max_size=200))
@example('"$"')
@example("a$")
def test_any_text_is_split_or_refused(text: str) -> None:
    """A plan is hostile text."""
    assert isinstance(split(text), tuple)
