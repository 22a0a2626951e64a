"""Programs by what their exit code is worth: shells, wrappers, and those that end with 0 whatever happens.

Pure. `contracts.clauses.stop_condition_checks` asks `can_fail` about a command that a sentence names, and
`contracts.compile.shell_idioms` explains with the same word lists why a check cannot run a program.
"""

import re
from collections.abc import Sequence
from typing import Final

from signoff.text.shell.wrappers import SHELLS, WRAPPERS, inner_start, program_name

__all__ = ["BUILTINS", "KEYWORDS", "RAISERS", "SHELLS", "can_fail", "program_name"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS: Final = _words("if then else fi for while until do done case esac function select time coproc { }")
BUILTINS: Final = _words(
    "cd eval exec export set unset source . : alias command type exit return trap ulimit umask wait read "
    "local declare shopt pushd popd builtin hash jobs let shift readonly mapfile"
)
RAISERS: Final = frozenset({"sudo", "su", "doas"})
"""They run a program with the rights of another user."""

_WRAPPERS: Final = frozenset(
    {"su", "watch", "script", *(name for name, row in WRAPPERS.items() if not row.is_launcher)}
)
"""They run the program that their arguments name, and may end with an exit code of their own."""
_IDLE: Final = _words(
    "true false echo printf yes seq test [ ls dir cat head tail less more wc sort uniq cut tr tee tree "
    "find file stat du df pwd date cal sleep clear whoami who id hostname uname uptime ps printenv which "
    "whereis man help basename dirname realpath readlink history touch mkdir cp mv rm ln chmod chown kill "
    "sed awk gawk open xdg-open"
)
"""Programs that print, list, move or wait. The state of the work does not change their exit code."""
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
    """Check whether the exit code of a command tells something about the files it runs on.

    In doubt it does not: a shell with its script in an argument, code in an argument and a wrapper may hold
    anything, `true` included. Launchers such as `uv run` are taken off, because they pass the code on.
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
        row = WRAPPERS.get(name)
        if row is not None and row.is_launcher and (start := inner_start(words)):
            words = words[start:]
        elif inline := _INLINE.get(re.sub(r"[\d.]+$", "", name)):
            return _runs_a_file(rest, inline)
        else:
            return True
    return False


def _runs_a_file(args: list[str], inline: str) -> bool:
    """Check whether an interpreter is given a file or a module, and not its code."""
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
