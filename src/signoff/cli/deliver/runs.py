"""The action of `signoff runs`."""

from collections.abc import Callable

import msgspec

from signoff.cli.deliver.run_details_text import details_text
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import readable
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.run_driver import conclude, drive, spoken
from signoff.domain.base.caps import Cap
from signoff.domain.base.errors import UsageError
from signoff.domain.ports import RunFolder
from signoff.domain.run.status import Status
from signoff.engine.run.kit import Kit
from signoff.runs.inspect.replay import replay
from signoff.runs.inspect.run_details import as_data, describe
from signoff.runs.inspect.run_figures import measure
from signoff.runs.inspect.run_list import LATEST, find, look, runs, status
from signoff.runs.people.cap_reset import reset_cap
from signoff.runs.people.given_answers import PersonWord, stop
from signoff.runs.state.run_views import handoff_page
from signoff.wiring import build, person


def run(options: Options, say: Output) -> int:
    """List the runs, or do what was asked with one of them."""
    if options.action != "reset-cap" and (options.reason or options.by):
        raise UsageError("--reason and --by belong to `runs reset-cap`", slug="usage", fix="leave them out")
    kit = build(options.root, say.note)
    if options.action == "reset-cap":
        return _reset_cap(kit, options, say)
    if options.action == "list":
        return _list(kit, say)
    if options.action == "metrics":
        return _metrics(kit, say)
    if options.action == "pin":
        from signoff.cli.deliver.run_pin import pin_run

        return pin_run(kit, find(kit, options.run or LATEST), options.folder, say)
    return ON_A_RUN[options.action](kit, find(kit, options.run or LATEST), say)


def _list(kit: Kit, say: Output) -> int:
    found = runs(kit)
    text = "\n".join(_row(each) for each in found) or "no runs yet; start one with: signoff run TICKET"
    say.result({"runs": [msgspec.structs.asdict(each) for each in found]}, text)
    return 0


def _metrics(kit: Kit, say: Output) -> int:
    found, count, unreadable = measure(kit)
    figures = {**msgspec.structs.asdict(found), "runs": count}
    rows = [f"{name:<28} {'unknown' if value is None else value}" for name, value in figures.items()]
    say.result({**figures, "unreadable": unreadable}, "\n".join(rows))
    for each in unreadable:
        say.note(f"not counted: {each}")
    return 0


def _row(found: Status) -> str:
    about = f"{found.ticket} {found.title}".strip() or found.why
    return f"{found.run_id}  {found.outcome:<19}  {found.step:<9}  {found.ts[:19]:<19}  {about}".rstrip()


def _show(kit: Kit, folder: RunFolder, say: Output) -> int:
    details = describe(kit, look(kit, folder.run_id))
    say.result(as_data(details), details_text(details))
    return 0


def _resume(kit: Kit, folder: RunFolder, say: Output) -> int:
    return conclude(kit, folder, say, drive(kit, folder, say, person(), Progress(say)))


def _stop(kit: Kit, folder: RunFolder, say: Output) -> int:
    was_driven = folder.is_locked()
    stopped = stop(kit, folder, PersonWord(person(), spoken()))
    found = status(kit, folder.run_id)
    if not stopped:
        text = f"run {folder.run_id} has ended already: {found.outcome}"
    elif was_driven:
        text = f"asked the driver of run {folder.run_id} to stop"
    else:
        text = f"run {folder.run_id} is stopped"
    say.result({"run_id": folder.run_id, "stopped": stopped, "outcome": found.outcome}, text)
    if stopped:
        say.note(f"go on with: signoff runs resume {folder.run_id}")
    return 0


def _reset_cap(kit: Kit, options: Options, say: Output) -> int:
    if not options.run or not options.folder:
        raise UsageError(
            "a run and a cap are needed",
            slug="usage",
            why=f"caps: {', '.join(Cap)}",
            fix="signoff runs reset-cap RUN NAME --reason TEXT",
        )
    folder = find(kit, options.run)
    by = readable(options.by) or person()
    given = reset_cap(kit, folder, readable(options.folder), readable(options.reason), by, spoken())
    record = {**msgspec.structs.asdict(given.reset), "at": given.at, "run_id": folder.run_id}
    text = f"the cap {given.reset.name} of run {folder.run_id} was reset"
    say.result({"waiver": record, "run_id": folder.run_id}, text)
    say.note(f"go on with: signoff runs resume {folder.run_id}")
    return 0


def _handoff(kit: Kit, folder: RunFolder, say: Output) -> int:
    page = handoff_page(*look(kit, folder.run_id))
    say.result({"run_id": folder.run_id, "handoff": page}, page.rstrip("\n"))
    return 0


def _replay(kit: Kit, folder: RunFolder, say: Output) -> int:
    look(kit, folder.run_id)  # a waiver has no flow to replay
    found = replay(folder)
    text = (
        f"identical: {found.events} events ask for the same effects"
        if found.identical
        else f"different after {found.events} events: {found.first_difference}"
    )
    document = {
        "run_id": folder.run_id,
        "identical": found.identical,
        "first_difference": found.first_difference or None,
        "events": found.events,
    }
    say.result(document, text)
    return 0 if found.identical else 1


ON_A_RUN: dict[str, Callable[[Kit, RunFolder, Output], int]] = {
    "show": _show,
    "resume": _resume,
    "stop": _stop,
    "handoff": _handoff,
    "replay": _replay,
}
