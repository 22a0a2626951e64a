"""The action of `signoff demo`."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.run_driver import drive, rest_of
from signoff.domain.base.errors import InfrastructureError, UsageError
from signoff.domain.base.record import Record
from signoff.domain.evidence.verdict import Standing
from signoff.domain.ports import RunFolder
from signoff.domain.run.certificate import Certificate
from signoff.engine.run.kit import Kit
from signoff.engine.run_summary import outcome_of
from signoff.runs.drive.run_drive import Driven
from signoff.runs.drive.run_start import RunRequest, read_cassette, read_ticket, start
from signoff.runs.state.run_views import report_page
from signoff.testing.samples import TICKET, demo_cassette, lay_out_sample, lie_cassette, ticket
from signoff.wiring import build, can_run_pytest, person, scrubbed_environment

LIE = "wrote-state"


class Played(NamedTuple):
    """A cassette that was played to its end."""

    folder: RunFolder
    driven: Driven


class Lie(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Outcome of the run in which the agent lied."""

    name: str
    said: str
    run_id: str
    outcome: str
    refused: bool
    why: str


def run(options: Options, say: Output) -> int:
    """Play the demo."""
    with _place(options.keep) as root:
        _need_pytest(root)
        lay_out_sample(root, scrubbed_environment())
        kit = build(root)
        honest = _play(kit, say, demo_cassette(), Progress(say, headings=True))
        rest = rest_of(kit, *honest)
        if rest.exit_code != 0:
            say.result({**rest.document, "kept": bool(options.keep), "lie": None}, rest.text)
            return rest.exit_code
        say.text("\n" + report_page(honest.folder, *honest.driven))
        summary = _summary(honest.folder)
        lines = "\n".join(f"  {name:<11} {value}" for name, value in summary.items())
        say.text(
            f"certificate{': ' + honest.folder.path('certificate.json') if options.keep else ''}\n{lines}"
        )
        lie = _lie(kit, say)
        document = {**rest.document, "kept": bool(options.keep), "lie": lie}
        word = "refused" if lie.refused else f"NOT REFUSED ({lie.outcome})"
        say.result(
            {**document, "certificate_summary": summary},
            f"the lie was {word}: {lie.said.lower()} — {lie.why}",
        )
        if options.keep:
            say.note(f"\nlook around: cd {options.keep} && signoff runs show {honest.folder.run_id}")
        return 0 if lie.refused else 1


@contextmanager
def _place(keep: str | None) -> Iterator[str]:
    """Yield the folder to play in. Without --keep it is temporary."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="signoff-demo-", ignore_cleanup_errors=True) as folder:
            yield folder
        return
    try:
        os.makedirs(keep, exist_ok=True)
        is_empty = not os.listdir(keep)
    except (FileExistsError, NotADirectoryError):
        is_empty = False
    except OSError as error:  # /proc has no room for folders, and says that the file does not exist
        raise InfrastructureError(
            f"{keep or 'a folder without a name'} cannot be made",
            slug="machine-refused",
            why=str(error.strerror),
            fix="--keep NEW_FOLDER, in a writable place",
        ) from None
    if not is_empty:
        raise UsageError(f"{keep} is not an empty folder", slug="keep-not-empty", fix="--keep NEW_FOLDER")
    yield os.path.abspath(keep)


def _need_pytest(root: str) -> None:
    if not can_run_pytest(root):
        raise InfrastructureError(
            "the demo needs pytest",
            slug="pytest-missing",
            why="the sample's tests are real, and the interpreter that would run them has no pytest",
            fix="pip install 'signoff[demo]'",
        )


def _play(kit: Kit, say: Output, cassette: bytes, progress: Progress) -> Played:
    wanted = RunRequest(
        ticket=read_ticket(ticket(), TICKET),
        cassette=read_cassette(cassette, "the bundled cassette"),
        approve_plan=True,
    )
    folder = start(kit, wanted).folder
    return Played(folder, drive(kit, folder, say, person(), progress, wanted.ticket))


def _summary(folder: RunFolder) -> dict[str, str]:
    said = msgspec.json.decode(folder.read("certificate.json") or b"", type=Certificate).predicate
    proven = sum(row.standing is Standing.PROVEN for row in said.clauses)
    return {
        "tree": said.tree,
        "contract": said.contract,
        "clauses": f"{proven} of {len(said.clauses)} proven, by {len(said.receipts)} receipts",
        "approved by": said.approver,
        "level": said.level,
        "journal": f"record {said.journal.seq}, {said.journal.sum}",
    }


def _lie(kit: Kit, say: Output) -> Lie:
    """Play the cassette of an agent that lies, and return how the run ended."""
    said = read_cassette(lie_cassette(LIE), LIE).name
    say.note(f"\nNow an agent that lies: {said.lower()} …")
    folder, (state, found) = _play(kit, say, lie_cassette(LIE), Progress(say, quiet=True))
    why = state.ended.why.partition("; ")[0] if state.ended else ""
    outcome = outcome_of(state, found.halts)
    return Lie(
        name=LIE, said=said, run_id=folder.run_id, outcome=outcome, refused=outcome == "refused", why=why
    )
