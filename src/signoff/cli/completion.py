"""Print a completion script for your shell: commands, their options, their fixed words, and run ids.

The script is made from the commands themselves; print it again after an update.

examples:
  signoff completion bash > ~/.local/share/bash-completion/completions/signoff
  signoff completion zsh > ~/.zfunc/_signoff
  signoff completion fish > ~/.config/fish/completions/signoff.fish
"""

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from signoff.cli.command import Options, Say
from signoff.cli.parsing import Parser
from signoff.commands import COMMANDS

SHELLS = ("bash", "zsh", "fish")
_TAKING_RUNS = ("answer", "report", "runs", "ship", "status", "submit", "waive")
_OWN = ("-h", "--help", "--json", "-C", "--root")


class Shape(NamedTuple):
    """What can be typed after one command."""

    name: str
    about: str
    options: tuple[str, ...]
    words: tuple[str, ...]
    takes_run: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(options: Options, say: Say) -> int:
    """Print the script."""
    script = _WRITERS[options.shell](tuple(shapes()))
    say.result({"shell": options.shell, "script": script}, script.rstrip("\n"))
    return 0


def shapes() -> Iterator[Shape]:
    """Give the shape of every command, from its own declaration."""
    for name, about in COMMANDS.items():
        parser = Parser(prog=name, allow_abbrev=False)
        import_module(f"signoff.cli.{name.replace('-', '_')}").configure(parser)
        options, words = _declared(parser)
        yield Shape(name, about, (*_OWN, *options), words, name in _TAKING_RUNS)


def _declared(parser: argparse.ArgumentParser) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the options of a parser and the fixed words it takes, those of its sub-commands included."""
    options: list[str] = []
    words: list[str] = []
    for action in parser._actions:
        options += action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                words.append(name)
                options += _declared(inner)[0]
        elif action.choices is not None and not action.option_strings:
            words += map(str, action.choices)
    seen = dict.fromkeys(option for option in options if option not in _OWN)
    return tuple(seen), tuple(dict.fromkeys(words))


def _bash(commands: tuple[Shape, ...]) -> str:
    cases = "\n".join(
        f'    {shape.name}) words="{" ".join((*shape.words, *shape.options))}"'
        f"{'; runs=1' if shape.takes_run else ''};;"
        for shape in commands
    )
    names = " ".join(shape.name for shape in commands)
    return f"""# bash completion of signoff; made by `signoff completion bash`
_signoff() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" name="" words="" runs="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) ;; *) name="$word"; break;; esac
  done
  case "$name" in
    "") words="{names} --help --version";;
{cases}
  esac
  if [ -n "$runs" ]; then
    words="$words latest $(command ls .signoff/runs 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ ${{#COMPREPLY[@]}} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _signoff signoff
"""


def _zsh(commands: tuple[Shape, ...]) -> str:
    listed = "\n".join(f"    '{shape.name}:{_plain(shape.about)}'" for shape in commands)
    cases = "\n".join(
        f"    {shape.name}) words_=({' '.join((*shape.words, *shape.options))})"
        f"{'; runs=1' if shape.takes_run else ''};;"
        for shape in commands
    )
    return f"""#compdef signoff
# zsh completion of signoff; made by `signoff completion zsh`
_signoff() {{
  local -a names words_
  local runs=""
  names=(
{listed}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' names
    return
  fi
  case "$words[2]" in
{cases}
  esac
  [[ -n "$runs" ]] && words_+=(latest ${{(f)"$(command ls .signoff/runs 2>/dev/null)"}})
  compadd -a words_
  _files
}}
compdef _signoff signoff
"""


def _fish(commands: tuple[Shape, ...]) -> str:
    lines = ["# fish completion of signoff; made by `signoff completion fish`"]
    for shape in commands:
        lines.append(
            f"complete -c signoff -n __fish_use_subcommand -f -a {shape.name} -d '{_plain(shape.about)}'"
        )
        inside = f"-n '__fish_seen_subcommand_from {shape.name}'"
        lines += [f"complete -c signoff {inside} {_fish_option(option)}" for option in shape.options]
        if shape.words:
            lines.append(f"complete -c signoff {inside} -a '{' '.join(shape.words)}'")
        if shape.takes_run:
            lines.append(
                f"complete -c signoff {inside} -a '(echo latest; command ls .signoff/runs 2>/dev/null)'"
            )
    return "\n".join(lines) + "\n"


def _fish_option(option: str) -> str:
    return f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"


def _plain(text: str) -> str:
    """Give a description without what a shell would read."""
    return text.replace("'", "").replace(":", " ").replace("`", "")


_WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
