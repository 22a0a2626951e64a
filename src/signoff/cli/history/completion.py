"""The action of `signoff completion`."""

from collections.abc import Iterator
from typing import NamedTuple

from signoff.cli.shared.argument_parser import Parser
from signoff.cli.shared.command import Options, Output, arguments_of
from signoff.commands import COMMANDS

_OWN = ("-h", "--help", "--json", "-C", "--root")


class CommandShape(NamedTuple):
    """What can be typed after the name of one command."""

    name: str
    about: str
    options: tuple[str, ...]
    words: tuple[str, ...]
    takes_run: bool


def run(options: Options, say: Output) -> int:
    """Print the script."""
    script = _WRITERS[options.shell](tuple(shapes()))
    say.result({"shell": options.shell, "script": script}, script.rstrip("\n"))
    return 0


def shapes() -> Iterator[CommandShape]:
    """Yield the shape of every command, read from the parser that the command itself uses."""
    for name, about in COMMANDS.items():
        parser = Parser(prog=name, allow_abbrev=False)
        arguments_of(name).configure(parser)
        actions = parser._actions
        options = (option for action in actions for option in action.option_strings if option not in _OWN)
        words = (str(w) for action in actions if not action.option_strings for w in action.choices or ())
        takes_run = any(action.metavar == "RUN" for action in actions)
        yield CommandShape(name, about, (*_OWN, *options), tuple(words), takes_run)


def _bash(commands: tuple[CommandShape, ...]) -> str:
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


def _zsh(commands: tuple[CommandShape, ...]) -> str:
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


def _fish(commands: tuple[CommandShape, ...]) -> str:
    lines = ["# fish completion of signoff; made by `signoff completion fish`"]
    for shape in commands:
        lines.append(
            f"complete -c signoff -n __fish_use_subcommand -f -a {shape.name} -d '{_plain(shape.about)}'"
        )
        inside = f"-n '__fish_seen_subcommand_from {shape.name}'"
        flags = (f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in shape.options)
        lines += [f"complete -c signoff {inside} {flag}" for flag in flags]
        if shape.words:
            lines.append(f"complete -c signoff {inside} -a '{' '.join(shape.words)}'")
        if shape.takes_run:
            lines.append(
                f"complete -c signoff {inside} -a '(echo latest; command ls .signoff/runs 2>/dev/null)'"
            )
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Return a description without the characters that are special inside a shell's quotes."""
    return text.replace("'", "").replace(":", " ").replace("`", "")


_WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
