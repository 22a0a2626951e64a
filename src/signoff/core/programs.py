"""Programs by what their exit code is worth: shells, wrappers, and those that end with 0 whatever happens.

Pure; called by `core.stop_conditions` for a command that a sentence names, and by `compiling.idioms`,
which says of the same programs why a check cannot run them.
"""

import re
from collections.abc import Sequence
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS: Final = _words("sh bash zsh dash ksh fish")
KEYWORDS: Final = _words("if then else fi for while until do done case esac function select time coproc { }")
BUILTINS: Final = _words(
    "cd eval exec export set unset source . : alias command type exit return trap ulimit umask wait read "
    "local declare shopt pushd popd builtin hash jobs let shift readonly mapfile"
)
RAISERS: Final = _words("sudo su doas")
"""They ask for the rights of somebody else."""

_WRAPPERS: Final = RAISERS | _words(
    "env xargs time nohup nice ionice timeout stdbuf setsid watch strace busybox parallel script"
)
"""They run what their arguments name; what ends with which code is theirs to say."""
_IDLE: Final = _words(
    "true false echo printf yes seq test [ ls dir cat head tail less more wc sort uniq cut tr tee tree find "
    "file stat du df pwd date cal sleep clear whoami who id hostname uname uptime ps printenv which whereis "
    "man help basename dirname realpath readlink history touch mkdir cp mv rm ln chmod chown kill sed awk "
    "gawk open xdg-open"
)
"""They print, list, move or wait; nothing about the work makes them end with another code."""
_CARRIERS: Final = _words("npx bunx pnpx uvx pipx")
_CARRYING: Final = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "hatch", "pdm", "rye"), _words("run")),
    **dict.fromkeys(("bundle", "npm", "yarn", "pnpm", "bun"), _words("exec dlx x")),
}
"""Tools that run the program their arguments name, behind one of these words."""
_INLINE: Final = {
    "python": r"-[A-Za-z]*c.*",
    "pypy": r"-[A-Za-z]*c.*",
    "node": r"-[a-z]*[ep]|--(?:eval|print)(?:=.*)?",
    "nodejs": r"-[a-z]*[ep]|--(?:eval|print)(?:=.*)?",
    "bun": r"-[a-z]*[ep]|--(?:eval|print)(?:=.*)?",
    "tsx": r"-[a-z]*[ep]|--(?:eval|print)(?:=.*)?",
    "ts-node": r"-[a-z]*[ep]+|--(?:eval|print)(?:=.*)?",
    "deno": r"eval",
    "perl": r"-[A-Za-z0]*[eE].*",
    "ruby": r"-[A-Za-z0]*e.*",
    "php": r"-[rBRE]|--(?:run|process-begin|process-code|process-end)(?:=.*)?",
    "lua": r"-e.*",
    "luajit": r"-e.*",
    "julia": r"-[eE].*|--(?:eval|print)(?:=.*)?",
    "elixir": r"-e|--(?:eval|rpc-eval)",
    "rscript": r"-e",
    "r": r"-e",
    "osascript": r"-e",
    "pwsh": r"(?i:-c|-command|-e|-ec|-encodedcommand)",
    "powershell": r"(?i:-c|-command|-e|-ec|-encodedcommand)",
}
"""Interpreters, with the option behind which their code stands in the command itself."""
_WITH_VALUE: Final = _words("-W -X -r -I -C --require --import --loader --env-file -d")
_TALKING: Final = _words("--version -V --help -h version help")


def can_fail(argv: Sequence[str]) -> bool:
    """Say whether the exit code of a command tells something about the files it runs on.

    In doubt it does not: a shell with its script in an argument, code in an argument and a wrapper may hold
    anything, `true` included.
    """
    words = list(argv)
    while words:
        name = program_name(words[0])
        rest = words[1:]
        # With a folder before it, it is the project's own: `script/test` is no `test`.
        if "/" not in words[0] and name in _WRAPPERS | _IDLE | KEYWORDS | BUILTINS:
            return False
        if len(rest) == 1 and rest[0] in _TALKING:
            return False
        if name in SHELLS:
            return _runs_a_file(rest, r"[-+][A-Za-z]*c.*|--(?:command|init-command)(?:=.*)?")
        if name in _CARRIERS:
            words = _behind_options(rest)
        elif rest and rest[0] in _CARRYING.get(name, ()):
            words = _behind_options(rest[1:])
        elif inline := _INLINE.get(re.sub(r"[\d.]+$", "", name)):
            return _runs_a_file(rest, inline)
        else:
            return True
    return False


def program_name(word: str) -> str:
    """Give a program's name without its folder and without what Windows puts behind it."""
    return word.rpartition("/")[2].lower().removesuffix(".exe")


def _behind_options(words: list[str]) -> list[str]:
    first = next((n for n, word in enumerate(words) if not word.startswith("-")), len(words))
    return words[first:]


def _runs_a_file(args: list[str], inline: str) -> bool:
    """Say whether an interpreter is given a file or a module, and not its code."""
    is_value = False
    for word in args:
        if is_value:
            is_value = False
        elif re.fullmatch(inline, word):
            return False
        elif word == "-m" or not word.startswith(("-", "+")):
            return True
        else:
            is_value = word in _WITH_VALUE
    return False
