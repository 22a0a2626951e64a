"""One cycle of a run that your coding agent drives: call, do what it says, call again.

The first call takes an input, later ones go on from the state file. Exit 0: the report is on stdout. Exit 1:
the run halts. The first line is `[halt] outcome=… step=…`, then comes the directive for the agent, if there
is one, and the question. Exit 2: nothing was done. What is written into the state file is a claim: changed
files and test results are looked at by the engine itself.

examples:
  signoff work --ticket-file ticket.json
  signoff work                                  go on, after the state file was filled in
  signoff work --prompt-file prompt.txt --state-file .work/a.json --json
  signoff submit latest plan.json && signoff work
"""

import os

from signoff.cli.command import Options, Say, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

    from signoff.app.hosted.cycling import Cycled
    from signoff.domain.halts import Halt
    from signoff.domain.work_state import DirectiveSet, WorkInput

DEFAULT = ".work-state.json"
_INPUTS = ("ticket_file", "prompt_file", "diff_file", "file_file")
_TEXTS = (*_INPUTS, "state_file", "persona", "directive_set", "root")


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("--ticket-file", metavar="F", help="a ticket, JSON or Markdown; - is standard input")
    parser.add_argument("--prompt-file", metavar="F", help="free text")
    parser.add_argument("--diff-file", metavar="F", help="a diff to work on")
    parser.add_argument("--file-file", metavar="F", help="a file whose first line names the file to work on")
    parser.add_argument(
        "--state-file", metavar="S", help=f"what host and engine exchange; {DEFAULT} if not given"
    )
    parser.add_argument(
        "--persona", metavar="P", help="senior-engineer, qa or advisory; only when a run begins"
    )
    parser.add_argument(
        "--directive-set", metavar="D", help="backend, ui, ui-trivial or mixed; only when a run begins"
    )
    parser.add_argument("--no-hooks", action="store_true", help="run no hooks in this cycle")


def plain(words: list[str]) -> Options | None:
    """Parse ordinary words without argparse, which would cost as much as the cycle.

    Return None for everything that is not a known flag with its value: argparse then decides, and explains.
    """
    options = Options()
    options.json = options.no_hooks = False
    for name in _TEXTS:
        setattr(options, name, None)
    rest = iter(words)
    for word in rest:
        name = "root" if word == "-C" else word.removeprefix("--").replace("-", "_")
        if word in ("--json", "--no-hooks"):
            setattr(options, name, True)
        elif word.startswith("-") and name in _TEXTS and word != f"-{name}":
            value = next(rest, None)
            if value is None or (value.startswith("-") and value != "-"):
                return None
            setattr(options, name, value)
        else:
            return None
    options.root = options.root or "."
    return options


def run(options: Options, say: Say) -> int:
    """Run one cycle."""
    from signoff.domain.errors import SignoffError

    try:
        return _run_cycle(options, say)
    except SignoffError as error:
        show(error, say)
        return 2  # the protocol knows no other code for what could not be done


def _run_cycle(options: Options, say: Say) -> int:
    from signoff.app.hosted.cycling import Asked, cycle
    from signoff.render.work_halt import spoken
    from signoff.wiring import build_hosted, person

    given = _named_input(options)
    kit = build_hosted(options.root, say.note)
    path = os.path.abspath(os.path.join(options.root, options.state_file or DEFAULT))
    asked = Asked(
        path, person(), given, options.persona, _chosen(options.directive_set), no_hooks=options.no_hooks
    )
    done = cycle(kit, asked)
    said = spoken(done.state, done.survey, done.report)
    say.result(_document(done, path, said.halt) if say.as_json else None, said.text)
    return said.exit_code


def _named_input(options: Options) -> "WorkInput | None":
    named = [(name, path) for name in _INPUTS if (path := getattr(options, name)) is not None]
    if not named:
        return None
    from signoff.cli.inputs import read_input_file

    return read_input_file(named)


def _chosen(name: str | None) -> "DirectiveSet | None":
    if name is None:
        return None
    from signoff.domain.errors import UsageError
    from signoff.domain.work_state import DirectiveSet

    try:
        return DirectiveSet(name)
    except ValueError:
        known = ", ".join(DirectiveSet)
        raise UsageError(
            f"there is no directive set {name!r}", slug="directive-set-unknown", why=f"known: {known}"
        ) from None


def _document(done: "Cycled", path: str, halt: "Halt | None") -> dict[str, object]:
    ended = done.state.ended
    is_reported = ended is not None and ended.status == "reported"
    document: dict[str, object] = {
        "run_id": done.state.run_id,
        "outcome": "success" if halt is None else "partial" if halt.is_partial else "blocked",
        "step": "report" if halt is None else halt.step,
        "code": None,
        "kind": None,
        "questions": [],
        "directive": None,
        "commands": [],
        "state_file": path,
        "report": done.folder.path("report.md") if is_reported else None,
        "steps": done.survey.steps,
    }
    if halt is None:
        if not is_reported:
            document["outcome"], document["step"] = "blocked", done.survey.step
        return document
    from signoff.render.commands import halt_commands
    from signoff.render.work_halt import question_lines

    document["code"], document["kind"] = halt.code, halt.kind
    document["questions"] = question_lines(halt)
    document["commands"] = [
        command for each in done.survey.halts for command in halt_commands(done.state.run_id, each)
    ]
    if halt.verb:
        from signoff.core.schemas import schema

        # `slice` is the part of the state file that holds the answer; `signoff submit` takes the same.
        document["directive"] = {
            "verb": halt.verb,
            "payload": halt.payload,
            "slice": halt.id,
            "schema": schema(f"work-{halt.id}"),
        }
    return document
