"""The table of programs that start another program, and where in their words that program begins."""

from collections import namedtuple
from collections.abc import Sequence

from signoff.text.shell.shell_parts import HOLE, variable_set

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"))


class Wrapper(namedtuple("Wrapper", ("short", "long", "skipped", "verbs", "is_launcher"))):
    """One row: the options that take a value, and what stands before the inner program."""

    __slots__ = ()
    short: str
    long: frozenset[str]
    skipped: int
    """How many words stand before the inner program, such as the time limit of `timeout`."""
    verbs: frozenset[str]
    """The words behind which it starts another program, such as `run`. Without one of them it is no wrapper.
    """
    is_launcher: bool
    """Whether it is a development tool that passes the exit code of the inner program on unchanged."""


def _wrapper(short: str = "", long: str = "", skipped: int = 0) -> Wrapper:
    return Wrapper(short, frozenset(long.split()), skipped, frozenset(), is_launcher=False)


def _launcher(verbs: str = "", short: str = "", long: str = "") -> Wrapper:
    return Wrapper(short, frozenset(long.split()), 0, frozenset(verbs.split()), is_launcher=True)


_TIMEOUT = _wrapper("ks", "kill-after signal", 1)
_UV = (
    "with with-editable with-requirements extra no-extra group no-group only-group package no-package python "
    "env-file directory project index default-index index-url extra-index-url find-links cache-dir "
    "config-file color exclude-newer refresh-package resolution prerelease link-mode from"
)
_PACKAGER = "prefix package workspace filter dir cwd call"

WRAPPERS = {
    "env": _wrapper("uC", "unset chdir"),
    "sudo": _wrapper("ugpCrtTUDRh", "user group prompt chdir chroot role type host"),
    "doas": _wrapper("uC"),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "exec": _wrapper("a"),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "time": _wrapper("fo", "format output"),
    "nice": _wrapper("n", "adjustment"),
    "ionice": _wrapper("cn", "class classdata"),
    "chrt": _wrapper(skipped=1),
    "taskset": _wrapper(skipped=1),
    "stdbuf": _wrapper("ioe", "input output error"),
    "timeout": _TIMEOUT,
    "gtimeout": _TIMEOUT,
    "xargs": _wrapper("IEdnPLsaR", "max-args max-procs delimiter replace arg-file max-chars"),
    "parallel": _wrapper("jIn", "jobs max-args"),
    "flock": _wrapper("wE", "timeout conflict-exit-code", 1),
    "strace": _wrapper("oeEpsu"),
    "unbuffer": _wrapper(),
    "chronic": _wrapper(),
    "caffeinate": _wrapper("tw"),
    "winpty": _wrapper(),
    "busybox": _wrapper(),
    "toybox": _wrapper(),
    "uv": _launcher("run", "pwC", _UV),
    "uvx": _launcher("", "pwC", _UV),
    "pipx": _launcher("run", "", "spec python pip-args index-url"),
    "poetry": _launcher("run", "CP", "directory project"),
    "pipenv": _launcher("run", "", "python"),
    "hatch": _launcher("run", "ep", "env project config data-dir cache-dir"),
    "pdm": _launcher("run", "p", "project"),
    "rye": _launcher("run", "", "pyproject"),
    "coverage": _launcher("run", "", "source omit include rcfile context data-file concurrency"),
    "npx": _launcher("", "pw", "package workspace"),
    "bunx": _launcher("", "p", "package"),
    "pnpx": _launcher("", "p", "package"),
    "npm": _launcher("exec x", "wCp", _PACKAGER),
    "yarn": _launcher("exec dlx", "p", _PACKAGER),
    "pnpm": _launcher("exec dlx", "CF", _PACKAGER),
    "bun": _launcher("x exec", "", "cwd"),
    "bundle": _launcher("exec", "", "gemfile"),
    "xvfb-run": _launcher("", "efnpsw", "error-file auth-file server-num server-args xauth-protocol wait"),
    "cross-env": _launcher(),
    "dotenv": _launcher("", "efvc"),
}


def program_name(word: str) -> str:
    """Return a program's name without folder and ending, in lower case, or `HOLE` if it is not known.

    macOS finds a program in any case of letters.
    """
    name = word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".cmd")
    return HOLE if HOLE in name else name


def inner_start(words: Sequence[str]) -> int:
    """Return the place at which the program begins that a wrapper starts, 0 if the first word is no wrapper.

    The place is behind the last word if the wrapper starts nothing.
    """
    wrapper = WRAPPERS.get(program_name(words[0]))
    if wrapper is None:
        return 0
    at = _behind_options(words, 1, wrapper)
    if wrapper.verbs:
        if at >= len(words) or words[at] not in wrapper.verbs:
            return 0
        at = _behind_options(words, at + 1, wrapper)
    return min(at + wrapper.skipped, len(words))


def _behind_options(words: Sequence[str], at: int, wrapper: Wrapper) -> int:
    """Step over options, the values of those that take one, and the variables that are set.

    Stops at the first other word, or behind `--`.
    """
    while at < len(words):
        text = words[at]
        if text == "--":
            return at + 1
        if text.startswith("--"):
            at += 2 if text[2:] in wrapper.long else 1
        elif text.startswith("-"):
            # The last letter takes the next word, unless a letter before it took the rest of the cluster.
            takes_next = len(text) > 1 and text[-1] in wrapper.short
            at += 2 if takes_next and not any(letter in wrapper.short for letter in text[1:-1]) else 1
        elif variable_set(text) and not wrapper.skipped:
            at += 1
        else:
            break
    return at
