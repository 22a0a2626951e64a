"""Judge programs that can delete or move the repository or the whole working tree: `rm`, `mv`, `find`.

A path is the repository if its last part may be `.git`, if it takes everything in there, or if it is the
folder around it. The whole working tree is `.`, `..`, `/`, `~` or `*`, however it is spelled.
"""

from collections import namedtuple

from signoff.judges.guards.git_commands import read_options
from signoff.judges.guards.guard_findings import GuardFinding, quoted
from signoff.text.shell.expansions import may_match
from signoff.text.shell.invocations import Program, executed_by_find, own_words, program_name, upstream
from signoff.text.shell.shell_parts import HOLE, CommandWord

_REMOVERS = frozenset(("rm", "unlink", "shred", "trash", "rimraf"))
_VITAL = ("*", "objects", "refs")
"""The parts of `.git` that must not be lost, unlike a stale `.git/index.lock`."""
_NAME_TESTS = ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex")

REPOSITORY, FILES = "repository", "files"
"""What is lost: all with `.git`, or all files beside it."""

_HOME = "~"
_ABOVE = ("..", _HOME)
_NARROWING = frozenset(
    (
        "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname",
        "-empty", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
        "-cnewer", "-user", "-group", "-uid", "-gid", "-nouser", "-nogroup", "-perm", "-links", "-inum",
        "-samefile", "-executable", "-fstype", "-used",
    )
)  # fmt: skip


class CommandPlace(namedtuple("CommandPlace", ("folder", "here"))):
    """Where a command runs."""

    __slots__ = ()
    folder: str
    """The folder that the line surely entered, "" for the one where it starts."""
    here: str
    """The absolute path of where the line starts, "" if it is not known."""


def removal_findings(program: Program, place: CommandPlace | None) -> list[GuardFinding]:
    """Return the reasons to block a program that removes or moves files.

    `place` is where it runs. None stands for a program that is not known to remove anything: then only the
    name `.git` among its words counts.
    """
    match program.name:
        case "rm" | "rimraf":
            is_taken = _is_removed(program)
        case "mv":
            options = read_options(program.words, "tS", "", "target-directory suffix")
            sources = options.all_rest[:-1] if not options.has("t", "target-directory") else options.all_rest
            is_taken = any(_is_repository(word) for word in sources)
        case "find":
            removes = any(word.text == "-delete" for word in program.words)
            removes = removes or _run_remover(executed_by_find(list(program.words)))
            is_taken = removes and _matches_repository(program.words)
        case _:
            is_taken = False
    lost = REPOSITORY if is_taken else _tree(program, place) if place is not None else ""
    if lost == FILES:
        message = f"{quoted(program.text)} deletes every file of the working tree"
        return [GuardFinding("work-discarded", message)]
    if not lost:
        return []
    message = f"{quoted(program.text)} takes away .git: the repository with its history"
    return [GuardFinding("repository-removed", message)]


def _tree(program: Program, place: CommandPlace) -> str:
    """Return what is lost of the whole tree, empty if the program removes only parts of it.

    `find` loses what it finds, `rm` the paths it names or, through `xargs`, those that `find` pipes into it.
    """
    if program.name == "find":
        at = _removal_at(program.words)
        return _tree_found(program.words[:at], place) if at >= 0 else ""
    if program.name not in ("rm", "rimraf"):
        return ""
    options = read_options(program.words, "", "recursive force dir verbose")
    lost = ""
    if options.has("r", "R", "recursive") or program.name == "rimraf":
        found = [_tree_lost(word, place) for word in options.all_rest]
        lost = REPOSITORY if REPOSITORY in found else max(found, default="")
    sources = list(upstream(program.command))
    is_fed = any(word.text == HOLE and not word.inner for word in options.doubtful)
    if not lost and is_fed and len(sources) == 1:  # a filter between the two may leave anything out
        words = own_words(sources[0])
        if words and program_name(words[0]) == "find":
            lost = _tree_found(tuple(words[1:]), place)
    return lost


def _removal_at(words: tuple[CommandWord, ...]) -> int:
    """Return the place at which `find` begins to remove, -1 if it removes nothing."""
    for at, word in enumerate(words):
        if word.text == "-delete":
            return at
        if word.text in ("-exec", "-execdir") and _run_remover(executed_by_find(list(words[at:]))[:1]):
            return at
    return -1


def _run_remover(parts: list[list[CommandWord]]) -> bool:
    return any(program_name(word) in _REMOVERS or "rm " in word.text for part in parts for word in part)


def _is_removed(program: Program) -> bool:
    """Check whether `rm` would remove the repository, by its words, a pipe or a substitution."""
    options = read_options(program.words, "", "recursive force dir verbose")
    if not options.has("r", "R", "recursive") and program.name == "rm" and not options.doubtful:
        return False
    if any(_is_repository(word) for word in options.all_rest):
        return True
    # `find . -name .git | xargs rm -rf`: what is removed comes through the pipe.
    is_fed = any(word.text == HOLE and not word.inner for word in options.doubtful)
    if is_fed and any(_names_repository(own_words(command)) for command in upstream(program.command)):
        return True
    inner = [command for word in options.all_rest for command in word.inner]
    return any(_names_repository(own_words(command)) for command in inner)


def _names_repository(words: list[CommandWord]) -> bool:
    """Check whether a command would write the path of `.git` for another to remove."""
    name = program_name(words[0]) if words else ""
    if name == "find":
        return _matches_repository(tuple(words[1:]))
    return name in ("echo", "printf", "ls") and any(_is_repository(word) for word in words[1:])


def _is_repository(word: CommandWord) -> bool:
    """Check whether a path may be `.git`, or everything in it.

    A hole stands for part of a name at most: a word that is nothing but a hole does not count.
    """
    parts = [part for part in word.text.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts:
        return False
    if len(parts) > 1 and parts[-2].lower() == ".git":
        return parts[-1] in _VITAL
    last = parts[-1]
    if last.lower() == ".git":
        return True
    if not word.has_wildcard or not last.startswith((".", "[", "{")):  # a plain `*` leaves hidden files alone
        return False
    return may_match(last.replace(HOLE, "?"), ".git")


def _matches_repository(words: tuple[CommandWord, ...]) -> bool:
    """Check whether `find` looks for `.git`, as a place to begin or by a test that is not negated.

    Tests behind `!` or with `-prune` leave `.git` out, and `*` alone is the subject of the whole tree.
    """
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text.startswith(("-", "(", "!")):
            break
        if _is_repository(words[at]):
            return True
    for at, text in enumerate(texts[:-1]):
        if text not in _NAME_TESTS or texts[at - 1] in ("!", "-not") or "-prune" in texts[at + 2 : at + 5]:
            continue
        last = texts[at + 1].rstrip("/").rpartition("/")[2].replace("\\", "")
        inside = "/.git/" in texts[at + 1].replace("\\", "") and last in ("*", ".*")
        if inside or (last not in ("*", ".*", "*.*") and may_match(last, ".git")):
            return True
    return False


# --- the whole working tree ---


def _tree_lost(word: CommandWord, place: CommandPlace) -> str:
    """Return what is lost with this path, empty if it is only some part of the tree or another place.

    The path is made absolute as far as the line tells, and trailing wildcards are taken off. It then loses
    the tree if it is the start itself, a folder around it, or a home.
    """
    path = word.text.replace("\\", "/")
    for base in (place.folder, place.here):
        if base and not path.startswith(("/", _HOME)):
            path = f"{base}/{path}"
    parts = _normal(path)
    has_stars = False
    while (
        parts
        and word.has_wildcard
        and "*" in parts[-1]
        and (set(parts[-1]) <= {"*", "?"} or parts[-1] in ("[!.]*", "[^.]*"))
    ):
        parts, has_stars = parts[:-1], True
    here = _normal(place.here) if path.startswith("/") else []
    is_around = parts == here[: len(parts)] or all(part in _ABOVE for part in parts)
    # The home of a user, as in `~bob`.
    is_home = len(parts) == 1 and word.text.startswith(_HOME) and word.mask[:1] == "b"
    if not is_around and (word.has_wildcard or not is_home):
        return ""
    is_here = parts == here and (bool(here) or not path.startswith("/"))
    return FILES if has_stars and is_here else REPOSITORY


def _normal(path: str) -> list[str]:
    """Split a path and remove each `x/..` from it, unless `x` has a hole and may lead anywhere."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in _ABOVE and HOLE not in parts[-1]:
            parts.pop()
        elif part == ".." and not parts and path.startswith("/"):
            continue
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _tree_found(words: tuple[CommandWord, ...], place: CommandPlace) -> str:
    """Return what is lost if everything that `find` finds is removed, empty if tests leave some files alone.

    `words` end where the removal begins.
    """
    starts: list[CommandWord] = []
    for word in words:
        if word.text.startswith(("-", "(", "!")) and word.text not in ("-H", "-L", "-P"):
            break
        starts += [] if word.text.startswith("-") else [word]
    lost = [_tree_lost(start, place) for start in starts or [CommandWord(".", "b")]]
    texts = [word.text for word in words]
    if not any(lost) or any(_narrows(texts, at) for at in range(len(texts))):
        return ""
    # Whoever leaves `.git` out loses the files all the same.
    return FILES if any(".git" in text for text in texts) or REPOSITORY not in lost else REPOSITORY


def _narrows(texts: list[str], at: int) -> bool:
    """Check whether a test leaves all but some files alone. A negated test does not."""
    is_test = texts[at] in _NARROWING or texts[at].startswith("-newer")
    if not is_test or texts[at - 1 : at] in (["!"], ["-not"]) or "-prune" in texts[at + 2 : at + 4]:
        return False
    value = texts[at + 1] if at + 1 < len(texts) else ""
    return not ("name" in texts[at] or "path" in texts[at]) or bool(set(value) - set("*./"))
