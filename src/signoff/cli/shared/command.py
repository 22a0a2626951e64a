"""What every command shares: its parsing, its output, and how an error becomes an exit code.

A command is two modules. `cli/GROUP/arguments/NAME.py` holds its help and `configure(parser)`, and loads no
record, so that `--help` answers at once. `cli/GROUP/NAME.py` holds `run(options, say) -> int` and is loaded
when the words have been read. A command that must start fast may have `plain(words)` beside `configure`: it
reads ordinary words without argparse, and returns None for all others (see `journal`).

At the top, nothing but sys and os is imported here. Every hook loads this file, and typing alone would take
as long as the rest of it.
"""

import os
import sys

from signoff.commands import module_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, TextIO

    from signoff.domain.base.errors import SignoffError

INTERRUPTED = 130
OUR_BUG = 70

# Text of tickets and agents ends up on terminals: control characters and bidirectional overrides stay out.
_HIDDEN = dict.fromkeys(
    (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    "\ufffd",
)


class Options:
    """The options of a command: those that every command has, and those that its `configure` declares."""

    json = False
    root = "."

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


class Output:
    """Output of a command: messages on stderr, and one result on stdout, a JSON document or plain text."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._has_result = False

    def note(self, text: str) -> None:
        """Write a message to the person."""
        _write(sys.stderr, visible(text) + "\n")

    def result(self, document: object, text: str) -> None:
        """Write the command's result: the document with --json, the text otherwise. Call it once."""
        assert not self._has_result, "a command gives one result"
        self._has_result = True
        if self.as_json:
            _write(sys.stdout, as_document(document))
        elif text:
            _write(sys.stdout, visible(text) + "\n")

    def text(self, text: str) -> None:
        """Write a part of the result ahead of the rest. With --json it is left out."""
        if not self.as_json:
            _write(sys.stdout, visible(text) + "\n")

    def error(self, slug: str, what: str, why: str = "", fix: str = "", **more: object) -> None:
        """Write what went wrong. With --json it is also the result, unless there is one already."""
        reasons = (f"  {name}: {said}" for name, said in (("why", why), ("fix", fix)) if said)
        lines = [f"error[{slug}]: {what}", *reasons]
        if self.as_json and not self._has_result:
            self.result({"error": {"slug": slug, "what": what, "why": why, "fix": fix, **more}}, "")
        self.note("\n".join(lines))


def visible(text: str) -> str:
    """Return the text with every character that could steer a terminal replaced by a visible one."""
    return text.translate(_HIDDEN)


def as_document(document: object) -> str:
    """Return a result as JSON text."""
    import json

    text = json.dumps(document, indent=2, ensure_ascii=False, default=_plain) + "\n"
    # Written as escapes, they say the same in JSON and do nothing on a terminal.
    return text.translate({code: f"\\u{code:04x}" for code in _HIDDEN if code >= 0x7F})


def _plain(value: object) -> object:
    """Return a record as plain data."""
    import msgspec

    return msgspec.to_builtins(value)


def _write(stream: "TextIO | None", text: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader of our output went away. That is no error, and the exit code stays what it is.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def run_command(name: str, words: list[str]) -> int:
    """Load one command, run it, and return an exit code whatever happens."""
    say = Output(as_json="--json" in words)
    options = Options()
    try:
        for stream in (sys.stdout, sys.stderr):
            # A path that is not UTF-8, or a check mark on an ASCII terminal, is no reason to fail.
            if stream is not None:
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        options = _read_words(arguments_of(name), name, words)
        return int(_load(module_of(name)).run(options, say))
    except KeyboardInterrupt:
        say.error("interrupted", "stopped by Ctrl-C")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place where our bugs end: with a file, never in silence
        return _failed(error, say, options.root)


def arguments_of(name: str) -> "ModuleType":
    """Return the module that holds the help and the arguments of a command."""
    return _load(module_of(name, "arguments"))


def _load(module: str) -> "ModuleType":
    __import__(module)
    return sys.modules[module]


def _read_words(module: "ModuleType", name: str, words: list[str]) -> Options:
    plain = getattr(module, "plain", None)
    options: Options | None = plain(words) if plain else None
    if options is not None:
        return options
    from signoff.cli.shared.argument_parser import parse

    return parse(module, name, words, Options())


def _failed(error: Exception, say: Output, root: str) -> int:
    """Print an error that a person can put right. Write our own bugs to a crash file."""
    from signoff.cli.shared.crash import mendable, write_crash_file

    known = mendable(error)
    if known is not None:
        show(known, say)
        return known.exit_code
    path = write_crash_file(error, root)
    what = f"signoff has a bug: {type(error).__name__}: {error}"
    say.error("crash", what, fix=f"please report it with {path}", crash_file=path)
    return OUR_BUG


def show(error: "SignoffError", say: Output) -> None:
    """Print an error that a person can put right."""
    say.error(error.slug, error.what, error.why, error.fix)
