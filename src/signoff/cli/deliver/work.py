"""The action of `signoff work`."""

import os

from signoff.cli.deliver.arguments.work import DEFAULT, INPUTS
from signoff.cli.shared.command import Options, Output, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.domain.run.halts import Halt
    from signoff.domain.work.work_state import DirectiveSet, WorkInput
    from signoff.hosted.cycle import Cycled


def run(options: Options, say: Output) -> int:
    """Run one cycle."""
    from signoff.domain.base.errors import SignoffError

    try:
        return _run_cycle(options, say)
    except SignoffError as error:
        show(error, say)
        return 2  # the protocol knows no other code for what could not be done


def _run_cycle(options: Options, say: Output) -> int:
    from signoff.hosted.cycle import CycleRequest, cycle
    from signoff.hosted.flow.cycle_output import spoken
    from signoff.wiring import build_hosted, person

    given = _named_input(options)
    kit = build_hosted(options.root, say.note)
    path = os.path.abspath(os.path.join(options.root, options.state_file or DEFAULT))
    asked = CycleRequest(
        path, person(), given, options.persona, _chosen(options.directive_set), no_hooks=options.no_hooks
    )
    done = cycle(kit, asked)
    said = spoken(done.state, done.survey, done.report)
    say.result(_document(done, path, said.halt) if say.as_json else None, said.text)
    return said.exit_code


def _named_input(options: Options) -> "WorkInput | None":
    named = [(name, path) for name in INPUTS if (path := getattr(options, name)) is not None]
    if not named:
        return None
    from signoff.cli.shared.inputs import read_input_file

    return read_input_file(named)


def _chosen(name: str | None) -> "DirectiveSet | None":
    if name is None:
        return None
    from signoff.domain.base.errors import UsageError
    from signoff.domain.work.work_state import DirectiveSet

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
    from signoff.engine.run.halt_commands import halt_commands
    from signoff.hosted.flow.cycle_output import question_lines

    document["code"], document["kind"] = halt.code, halt.kind
    document["questions"] = question_lines(halt)
    document["commands"] = [
        command for each in done.survey.halts for command in halt_commands(done.state.run_id, each)
    ]
    if halt.verb:
        from signoff.domain.schemas import schema

        # `slice` is the part of the state file that holds the answer; `signoff submit` takes the same.
        document["directive"] = {
            "verb": halt.verb,
            "payload": halt.payload,
            "slice": halt.id,
            "schema": schema(f"work-{halt.id}"),
        }
    return document
