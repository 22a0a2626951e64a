"""`signoff run --spec`: deliver the sprints of a spec, one run after the other.

The runs are asked for the state of each sprint before every step, so a call that was killed goes on where its
journals end. The spec's file is updated after every step, and read only for sprints without a run here.
"""

import os
from typing import Any, NamedTuple

import msgspec

from signoff.cli.deliver.spec_with_sprints import SpecRead, read_whole_spec
from signoff.cli.shared.budgets import limits
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import make_folder, read_file, readable, replace_file
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.run_driver import Rest, drive, rest_of
from signoff.cli.shared.run_introduction import introduce
from signoff.cli.shared.spec_answer import wait_for_answers
from signoff.cli.shared.violations import listing
from signoff.contracts.files.document_files import read_spec
from signoff.domain.base.errors import ConfigError, ConflictError, WaitingError
from signoff.domain.ports import RunFolder
from signoff.domain.work.contract import Contract
from signoff.domain.work.spec import Spec, SpecStatus
from signoff.domain.work.ticket import Ticket
from signoff.domain.work.work_state import Persona
from signoff.engine.run.kit import Kit
from signoff.runs.drive.run_drive import Driven
from signoff.runs.drive.run_start import RunRequest, read_cassette, settings_at, start
from signoff.runs.drive.sprint_runs import (
    SprintRunFound,
    asks_for_the_same,
    latest_runs,
    runs_of,
    sprint_start,
    standing,
)
from signoff.runs.inspect.run_list import look
from signoff.specs.spec_lifecycle import is_too_ambiguous, open_questions
from signoff.specs.sprint_order import SprintStage, SprintStanding, is_blocked, moved, next_stage, write_moved
from signoff.specs.sprint_tickets import sprint_ticket, ticket_for
from signoff.wiring import STATE_DIR, build, find_spec, lock_around, lock_of_spec, person

_JUDGED = (0, 1, 5)
_WORST_FIRST = (1, 5, 0)


def walk(options: Options, say: Output) -> int:
    """Deliver what is left of a spec, or the next sprint of it."""
    name = readable(options.spec)
    path = find_spec(options.root, name).path
    read = read_whole_spec(path, options.root)
    if not read.is_valid:
        what = f"{path} breaks the rules of a spec"
        error = {"slug": "spec-invalid", "what": what, "why": "", "fix": f"signoff spec check {path}"}
        document = {"ok": False, "violations": read.violations, "sprints": [], "error": error}
        say.result(document, listing(what, read.violations))
        return 2
    if open_questions(read.spec):
        return wait_for_answers(say, name, read.spec)
    _must_be_workable(name, read)
    kit = build(options.root, say.note)
    locks = os.path.join(kit.root, STATE_DIR, "walks")
    make_folder(locks)
    with lock_of_spec(locks, read.spec.spec_id):
        return _Walk(kit, options, say, path, read).go()


def _must_be_workable(name: str, read: SpecRead) -> None:
    spec = read.spec
    if spec.status is SpecStatus.ABANDONED:
        raise ConflictError(
            f"{name} is abandoned", slug="spec-closed", fix="give it another status, if it is wanted again"
        )
    if spec.status is SpecStatus.NEEDS_CLARIFICATION or is_too_ambiguous(spec) or not spec.features:
        raise WaitingError(
            f"{name} cannot be delivered yet",
            slug="replan-due",
            why="it has no features, or is still called unclear: a planner must go on from its answers",
            fix=f"plan it again; what is still to be asked is answered with: signoff spec answer {name}",
        )
    if not read.stages:
        raise ConfigError(
            f"{name} has no sprints",
            slug="spec-without-sprints",
            why="neither in the spec nor as contracts that name it",
            fix="write its sprints, or plan a ticket: signoff plan TICKET",
        )


class _SprintInput(NamedTuple):
    ticket: Ticket
    contract: bytes


class _Walk:
    """One call of `signoff run --spec`."""

    def __init__(self, kit: Kit, options: Options, say: Output, path: str, read: SpecRead) -> None:
        self._kit = kit
        self._options = options
        self._say = say
        self._path = path
        self._spec: Spec = read.spec
        self._stages = read.stages
        self._look()

    def _look(self) -> None:
        """Read the state of the sprints from their runs."""
        self._runs = runs_of(self._kit, self._spec.spec_id)
        self._latest: dict[str, SprintRunFound] = latest_runs(self._runs)
        self._standings: dict[str, SprintStanding] = {
            stage.id: standing(self._spec, stage, self._latest.get(stage.id)) for stage in self._stages
        }

    def go(self) -> int:
        """Deliver one sprint after the other, until all are done, one is stuck, or a person must act."""
        most = 1 if self._options.next else self._most()
        tried: list[str] = []
        rests: list[Rest] = []
        while len(tried) < most:
            stage = next_stage(self._stages, self._standings, tried)
            if stage is None:
                break
            tried.append(stage.id)
            rests.append(self._deliver(stage))
            if rests[-1].exit_code not in _JUDGED:
                break
        else:
            if not self._options.next and next_stage(self._stages, self._standings, tried):
                self._say.note(f"[limits] max_sprints is {most}; call it again for the rest")
        return self._conclude(rests)

    def _most(self) -> int:
        settings, _ = settings_at(self._kit, self._kit.repository.base().tree)
        return settings.limits.max_sprints

    def _deliver(self, stage: SprintStage) -> Rest:
        taken_up = self._taken_up(stage)
        folder = taken_up or self._started(stage)
        ticket = None if taken_up else self._input_of(stage).ticket
        self._tell_file()
        driven = drive(self._kit, folder, self._say, person(), Progress(self._say), ticket)
        rest = rest_of(self._kit, folder, driven)
        self._tell_file()
        return rest

    def _taken_up(self, stage: SprintStage) -> RunFolder | None:
        """Return the run of this sprint that goes on, or None.

        A run about an earlier wording of the sprint is left alone.
        """
        run = self._latest.get(stage.id)
        if run is None or run.ended is not None:
            return None
        if not asks_for_the_same(run, self._input_of(stage).ticket, stage.contract):
            self._say.note(f"{stage.id} was changed since run {run.folder.run_id} began; it is started anew")
            return None
        self._say.note(f"run {run.folder.run_id}: {stage.id} goes on")
        return run.folder

    def _started(self, stage: SprintStage) -> RunFolder:
        options, given = self._options, self._input_of(stage)
        recorded = os.path.join(options.cassette, f"{stage.id}.json") if options.cassette else ""
        wanted = RunRequest(
            ticket=given.ticket,
            agent=options.agent,
            cassette=read_cassette(read_file(recorded), recorded) if recorded else None,
            approve_plan=options.yes,
            record=options.record,
            limits=limits(options.budget_usd, options.budget_tokens),
            persona=Persona(options.persona),
            contract=given.contract,
            sprint=sprint_start(self._kit, self._spec, stage, self._runs),
        )
        started = start(self._kit, wanted)
        introduce(self._say, started, given.ticket)
        return started.folder

    def _input_of(self, stage: SprintStage) -> _SprintInput:
        if stage.sprint is not None:
            return _SprintInput(sprint_ticket(self._spec, stage.sprint), stage.contract or b"")
        assert stage.contract is not None
        contract = msgspec.json.decode(stage.contract, type=Contract)
        return _SprintInput(ticket_for(contract, stage.id), stage.contract)

    def _tell_file(self) -> None:
        """Write the state of the sprints into the spec's file, unless it is there already."""
        self._look()
        with lock_around(self._path):
            document = read_spec(read_file(self._path))
            if (
                document.value is None
            ):  # it is being edited: the runs hold the state, and the next step writes it again
                self._say.note(f"{self._path} is no spec any more; how its sprints stand was not written")
                return
            runs = {name: run.folder.run_id for name, run in self._latest.items() if name in self._standings}
            after = moved(document.value, self._standings, runs, self._kit.clock.now())
            if after is not document.value:
                replace_file(self._path, write_moved(document, after))
            self._spec = after

    def _conclude(self, rests: list[Rest]) -> int:
        rest = rests[-1] if rests else None
        if not rests and self._runs:  # this call had nothing to do
            folder, state, found = look(self._kit, self._runs[-1].folder.run_id)
            rest = rest_of(self._kit, folder, Driven(state, found))
        document: dict[str, Any] = rest.document if rest else _NOTHING
        rows = [self._row(stage) for stage in self._stages]
        said = {"spec_id": self._spec.spec_id, "status": self._spec.status}
        lines = [
            f"{row['id']}: {row['outcome']}" + (f" ({row['run_id']})" if row["run_id"] else "")
            for row in rows
        ]
        text = "\n".join(
            (*([rest.text] if rest else []), f"spec {self._spec.spec_id}: {self._spec.status}", *lines)
        )
        self._say.result({**document, **said, "sprints": rows}, text)
        for note in rest.notes if rest else ():
            self._say.note(note)
        codes = [one.exit_code for one in rests]
        if codes and codes[-1] not in _JUDGED:
            return codes[-1]
        return next((code for code in _WORST_FIRST if code in codes), 0)

    def _row(self, stage: SprintStage) -> dict[str, str | None]:
        run = self._latest.get(stage.id)
        if run is not None:
            outcome = run.outcome
        elif self._standings[stage.id] is SprintStanding.DONE:
            outcome = "completed"
        else:
            outcome = "blocked" if is_blocked(stage, self._standings) else "pending"
        title = stage.sprint.title if stage.sprint else ""
        return {
            "id": stage.id,
            "run_id": run.folder.run_id if run else None,
            "outcome": outcome,
            "title": title,
        }


_NOTHING: dict[str, Any] = {
    "run_id": None,
    "outcome": "completed",
    "verdict": None,
    "certificate": None,
    "report": None,
    "halt": None,
}
