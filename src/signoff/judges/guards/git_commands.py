"""The words of a git command: its own options, the subcommand, aliases, and the options of that. Pure.

Git takes options in any order and shortened (`--delet`), and so does this.
"""

from collections import namedtuple
from collections.abc import Iterable, Iterator

from signoff.judges.guards.guard_findings import quoted
from signoff.text.shell.shell_parts import HOLE, CommandWord, UnreadableShell
from signoff.text.shell.shell_reader import find_commands

FALSE = ("false", "no", "off", "0")
"""Values with which a setting of git is off."""

_WITH_VALUE = frozenset(
    ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source")
)
_MOST_ALIASES = 10


class GitCall(namedtuple("GitCall", ("name", "words", "config", "folder"))):
    """One call of git: `push` and its words, the settings given with `-c`, the folder given with `-C`."""

    __slots__ = ()
    name: str
    words: tuple[CommandWord, ...]
    config: dict[str, str]
    """Names in lower case."""
    folder: str

    @property
    def quoted(self) -> str:
        """The call for a message."""
        return quoted(" ".join(("git", self.name, *(word.text for word in self.words))))


class GitShellScript(namedtuple("GitShellScript", ("text",))):
    """The text that git hands to a shell."""

    __slots__ = ()
    text: str


def read_git(words: tuple[CommandWord, ...], tries: int = 0) -> GitCall | GitShellScript | None:
    """Return the call behind git's own options, or None if git only shows information on itself.

    Git's own options stand before the subcommand, and those that take a value may take the next word. Raises
    `UnreadableShell` if the subcommand is a variable.
    """
    config: dict[str, str] = {}
    folder, at = "", 0
    while at < len(words) and words[at].text.startswith("-"):
        option, equals, value = words[at].text.partition("=")
        if option in ("--help", "--version", "-h", "-v", "--exec-path", "--html-path", "--man-path"):
            if not equals:
                return None
        elif option in _WITH_VALUE and not equals:
            at += 1
            value = words[at].text if at < len(words) else ""
        elif words[at].text.startswith("-c") and not option.startswith("--"):
            option, value = "-c", words[at].text[2:]
        if option == "-c":
            name, _, setting = value.partition("=")
            config[name.lower()] = setting
        elif option in ("-C", "--git-dir", "--work-tree"):
            folder = value.removesuffix(".git") if option == "--git-dir" else value
        at += 1
    if at >= len(words):
        return None
    if not words[at].is_known or words[at].has_wildcard:
        raise UnreadableShell("the subcommand of git is known only when it runs")
    # Replace an alias that the line itself defines by its meaning.
    call = GitCall(words[at].text, words[at + 1 :], config, folder)
    alias = call.config.get(f"alias.{call.name.lower()}")
    if alias is None or tries > _MOST_ALIASES:
        return call
    if alias.startswith("!"):
        return GitShellScript(" ".join((alias[1:], *(word.text for word in call.words))))
    parts = [word for command in find_commands(alias) for word in command.words]
    found = read_git((*parts, *call.words), tries + 1)
    return found._replace(config=call.config | found.config) if isinstance(found, GitCall) else found


def scripts_of(call: GitCall) -> Iterator[str]:
    """Yield the scripts that this call has a shell run: `submodule foreach`, `bisect run`, `rebase --exec`.

    Each of the three subcommands has its own place for the script.
    """
    texts = [word.text for word in call.words]
    if call.name == "submodule" and "foreach" in texts:
        yield " ".join(word for word in texts[texts.index("foreach") + 1 :] if not word.startswith("--"))
    elif call.name == "bisect" and texts[:1] == ["run"]:
        yield " ".join(texts[1:])
    elif call.name == "rebase":
        for at, text in enumerate(texts):
            if text in ("-x", "--exec"):
                yield from texts[at + 1 : at + 2]
            elif text.startswith(("--exec=", "-x")):
                yield text.removeprefix("--exec=").removeprefix("-x")


class GitOptions(namedtuple("GitOptions", ("flags", "values", "rest", "behind", "doubtful"))):
    """The words of a subcommand, sorted."""

    __slots__ = ()
    flags: frozenset[str]
    """Letters and long names, without dashes."""
    values: dict[str, str]
    rest: tuple[CommandWord, ...]
    """The words that are no option and do not stand behind `--`."""
    behind: tuple[CommandWord, ...]
    """The words behind `--`."""
    doubtful: tuple[CommandWord, ...]
    """Words that may turn out to be options, or several words."""

    def has(self, *names: str) -> bool:
        """Whether any of these was given."""
        return not self.flags.isdisjoint(names)

    @property
    def all_rest(self) -> tuple[CommandWord, ...]:
        """The words that are no option, before and behind `--`."""
        return self.rest + self.behind


def read_options(
    words: Iterable[CommandWord], letters: str = "", names: str = "", valued: str = ""
) -> GitOptions:
    """Sort the words of a subcommand into flags, values and other words.

    `letters` and `valued` are the options that take a value, `names` the long flags. A shortened long name
    counts as every name that it may stand for, so that no abbreviation hides a dangerous flag.
    """
    flags: set[str] = set()
    values: dict[str, str] = {}
    rest: list[CommandWord] = []
    behind: list[CommandWord] = []
    doubtful: list[CommandWord] = []
    taking, known = valued.split(), (*names.split(), *valued.split())
    queue = iter(words)
    for word in queue:
        text = word.text
        if text == "--":
            behind += queue
        elif text.startswith("--"):
            name, equals, value = text[2:].partition("=")
            full = [name] if name in known else [other for other in known if other.startswith(name)] or [name]
            flags.update(full)
            if not equals and full[0] in taking:
                value = next(queue, CommandWord("")).text
            values.update((one, value) for one in full)
        elif text.startswith("-") and len(text) > 1:
            _read_cluster(text[1:], letters, flags, values, queue)
        else:
            rest.append(word)
            if text.startswith(HOLE) or word.may_split:
                doubtful.append(word)
    return GitOptions(frozenset(flags), values, tuple(rest), tuple(behind), tuple(doubtful))


def _read_cluster(
    cluster: str, letters: str, flags: set[str], values: dict[str, str], queue: "Iterator[CommandWord]"
) -> None:
    """Read `-fu` letter by letter, where a letter that takes a value takes the rest or the next word."""
    for at, letter in enumerate(cluster):
        flags.add(letter)
        if letter in letters:
            values[letter] = cluster[at + 1 :] or next(queue, CommandWord("")).text
            return
