"""Start a run: pin base, settings, ticket and agent, and write the first two records."""

from typing import NamedTuple

import msgspec

from signoff.delivery.budget.budget_stage import Limits, pinned_budget
from signoff.delivery.context.run_view import SEAL
from signoff.delivery.dispatch.fallback_chain import alone, named_in, written_out
from signoff.delivery.flow import deliver
from signoff.domain.base.errors import ConfigError, ConflictError, UsageError
from signoff.domain.base.typed_ids import CommitId, Digest, RunId, TreeId
from signoff.domain.base.violations import Violation
from signoff.domain.machine.trees import Base
from signoff.domain.ports import RunFolder
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.directives import RawPlanProposed
from signoff.domain.run.events import EVENT_TYPES, Driver, RunStart, RunStatus
from signoff.domain.run.outcomes import Sealed
from signoff.domain.work.budgets import Budget
from signoff.domain.work.settings import BudgetSettings, PlanApproval, SettingOrigin, Settings
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.domain.work.work_state import Persona
from signoff.engine.run.confinement_check import are_fenced, refuse_below_minimum, refuse_open_agents
from signoff.engine.run.kit import Kit
from signoff.engine.run.replay_clock import replayed_id, unusable_start
from signoff.engine.run.run_log import begin_log, live_stamp, load, replayed_stamp, start_of
from signoff.intake.refinement.question_guard import asks_only
from signoff.intake.ticket_files import parse_ticket
from signoff.project.agent_search import AgentFound, find_agent, program_notes
from signoff.project.settings.repository_setup import usable_settings
from signoff.runs.drive.ledger_keeper import is_kept
from signoff.text.json.canonical import canonical, contract_digest, digest
from signoff.text.json.decode import decode

_LONGEST_TITLE = 120


class RunRequest(NamedTuple):
    """What the person asked for on the command line."""

    ticket: Ticket
    agent: str = ""
    cassette: Cassette | None = None
    approve_plan: bool = False
    record: bool = False
    limits: Limits = Limits()
    rehearsed: "Rehearsed | None" = None
    persona: Persona = Persona.SENIOR_ENGINEER
    only_plan: bool = False
    contract: bytes = b""
    """A contract to deliver, valid by all rules. Without one, a planner is asked for it."""
    sprint: "SprintOf | None" = None


class Rehearsed(NamedTuple):
    """What a run that is played to be compared with itself was pinned to, in place of settings and flags."""

    settings: Settings
    budget: Budget | None
    approved_by: str = ""
    """Who had approved its contract, by a journal that is not here."""


class SprintOf(NamedTuple):
    """Which sprint of which spec a run delivers, and from where."""

    spec: str
    sprint: str
    base: CommitId | None = None
    """The result of earlier sprints. Without one, the run starts from HEAD."""
    follows: RunId | None = None


class StartedRun(NamedTuple):
    """A new run and what a person should know about it."""

    folder: RunFolder
    base: Base
    notes: tuple[str, ...] = ()
    """Which program does the work, where that is worth a word."""


def read_ticket(data: bytes, name: str) -> Ticket:
    """Parse a ticket file. What is wrong with its *form* is an error, what is unclear is a halt later."""
    decoded = parse_ticket(data, name)
    if decoded.value is None:
        raise ConfigError(
            f"{name} is not a ticket",
            slug="ticket-invalid",
            why=_first_faults(decoded.violations),
            fix="a ticket has an id, a title and acceptance criteria; see docs/reference/tickets.md",
        )
    return msgspec.structs.replace(decoded.value, source=name.rpartition("/")[2])


def prompt_ticket(text: str, number: str) -> Ticket:
    """Make a ticket of free text. Its criteria are asked for, never invented. A question starts no run."""
    first, _, rest = text.strip().partition("\n")
    body = rest if len(first) <= _LONGEST_TITLE else text  # a first line that is cut is told in full below
    title = first[:_LONGEST_TITLE]
    made = Ticket(id=number, title=title, body=body.strip(), kind=InputKind.PROMPT, source="prompt")
    if asks_only(text):
        raise UsageError(
            "the prompt is a question, not a task",
            slug="prompt-is-question",
            why="a question gets an answer, not a run",
            fix="ask your coding agent, or say what is to be changed",
        )
    return made


def read_cassette(data: bytes, name: str) -> Cassette:
    """Parse a cassette file."""
    decoded = decode(data, Cassette)
    cassette = decoded.value
    wrong = unusable_start(cassette.started_at) if cassette is not None else ""
    if cassette is None or wrong:
        raise ConfigError(
            f"{name} is not a cassette",
            slug="cassette-invalid",
            why=f"/started_at: it {wrong}" if wrong else _first_faults(decoded.violations),
            fix="make one with `signoff run … --record`",
        )
    return cassette


def settings_at(kit: Kit, tree: TreeId) -> tuple[Settings, tuple[SettingOrigin, ...]]:
    """Read the settings of a tree. A mistake in them is an error."""
    read = kit.repository.read
    toml, pyproject = read(tree, "signoff.toml"), read(tree, "pyproject.toml")
    return usable_settings(toml, pyproject, "the settings of the base commit")


def start(kit: Kit, wanted: RunRequest) -> StartedRun:
    """Create a run and write its first two records. Nothing runs yet.

    Everything that can refuse the run is asked before its folder is made: settings, confinement, budget,
    agents and their programs. What follows only writes down what was decided.
    """
    sprint = wanted.sprint or SprintOf("", "")
    base = kit.repository.base(sprint.base or "HEAD")
    settings = wanted.rehearsed.settings if wanted.rehearsed else written_out(settings_at(kit, base.tree)[0])
    refuse_below_minimum(settings.sandbox, kit.checks)
    budget = _budget(wanted, settings)
    found = _chosen_agent(kit, wanted, settings)
    agent = found.name
    roles = _roles(wanted, settings, agent)
    # A missing program is better known now.
    opened = [kit.agents.open(name, settings, wanted.cassette) for name in (agent, *roles.values())]
    if _driver(agent) is Driver.AUTOPILOT:
        opened += [kit.agents.open(name, alone(settings), None) for name in named_in(settings.agent.fallback)]
    refuse_open_agents(settings.sandbox, opened, kit.processes)
    notes = program_notes(kit, found, opened)
    folder = _create(kit, wanted, base)
    stamp = replayed_stamp(wanted.cassette.started_at) if wanted.cassette else live_stamp(kit.clock)
    # A given contract is kept in the shape of a planner's answer, so that it goes the same way.
    given = RawPlanProposed(contract=msgspec.Raw(wanted.contract))
    run_start = RunStart(
        flow=deliver.VERSION,
        driver=_driver(agent),
        agent=agent,
        base=base.commit,
        base_tree=base.tree,
        ticket=folder.blobs.put(msgspec.json.encode(wanted.ticket)),
        settings=folder.blobs.put(msgspec.json.encode(settings)),
        engine_version=kit.engine_version,
        approve_plan=wanted.approve_plan or settings.plan.approve is PlanApproval.POLICY,
        record=wanted.record,
        boxed=are_fenced(settings.sandbox, opened, kit.processes),
        predicts_merges=True,
        guards_intent=True,
        stands_for=wanted.cassette.agents if wanted.cassette else {},
        rehearsal=wanted.rehearsed is not None,
        roles=roles,
        budget=budget,
        persona=wanted.persona,
        only_plan=wanted.only_plan or wanted.persona is Persona.ADVISORY,
        proposal=folder.blobs.put(msgspec.json.encode(given)) if wanted.contract else None,
        approved_by=_approved_by(kit, wanted),
        spec=sprint.spec,
        sprint=sprint.sprint,
        follows=sprint.follows,
        cassette=folder.blobs.put(msgspec.json.encode(wanted.cassette)) if wanted.cassette else None,
        telemetry=is_kept(kit),
    )
    with folder.writer() as journal:
        begin_log(journal, stamp, folder.run_id, EVENT_TYPES, run_start)
    return StartedRun(kit.store.reveal(folder.run_id), base, notes)


def _budget(wanted: RunRequest, settings: Settings) -> Budget | None:
    """Return the budget. A cassette spends nothing, so only a flag sets one for it."""
    if wanted.rehearsed is not None:
        return wanted.rehearsed.budget
    set_down = settings.budget if wanted.cassette is None else BudgetSettings()
    return pinned_budget(set_down, wanted.limits)


def _approved_by(kit: Kit, wanted: RunRequest) -> str:
    """Return who approved the given contract in a run that ended with it as its plan, or "".

    Only the newest of these runs counts, and only its journal: a file that says of itself that it was agreed
    to proves nothing.
    """
    if wanted.rehearsed is not None:
        return wanted.rehearsed.approved_by
    if not wanted.contract:
        return ""
    contract = contract_digest(wanted.contract)
    approvers = (_approver_of(kit.store.open(run_id), contract) for run_id in reversed(kit.store.list()))
    return next((approver for approver in approvers if approver), "")


def _approver_of(folder: RunFolder, wanted: Digest) -> str:
    start = start_of(folder)
    if start is None or not start.only_plan:
        return ""
    state = load(folder)
    sealed = state.done.get(SEAL)
    is_planned = state.ended is not None and state.ended.status is RunStatus.PLANNED
    return sealed.approver if is_planned and isinstance(sealed, Sealed) and sealed.contract == wanted else ""


def _chosen_agent(kit: Kit, wanted: RunRequest, settings: Settings) -> AgentFound:
    """Return the agent that does the work: named by the command or the settings, else found on PATH."""
    if wanted.cassette is not None:
        if wanted.agent not in ("", "recorded"):
            raise UsageError(
                f"--cassette plays the recorded agent, not {wanted.agent}",
                slug="agent-conflict",
                fix="leave --agent out",
            )
        return AgentFound("recorded")
    name = wanted.agent or settings.agent.name
    return AgentFound(name) if name else find_agent(kit, settings)


def _roles(wanted: RunRequest, settings: Settings, agent: str) -> dict[str, str]:
    """Return the agents of single roles. One that was asked for by a flag does everything."""
    if wanted.agent or wanted.cassette is not None:
        return {}
    agents = settings.agent
    named = {"planner": agents.planner.name, "builder": agents.builder.name}
    if settings.evaluate.agent or settings.evaluate.required:
        named["evaluator"] = agents.evaluator.name
    return {role: name for role, name in named.items() if name and name != agent}


def _driver(agent: str) -> Driver:
    match agent:
        case "recorded":
            return Driver.RECORDED
        case "hosted":
            return Driver.HOSTED
        case _:
            return Driver.AUTOPILOT


def _create(kit: Kit, wanted: RunRequest, base: Base) -> RunFolder:
    """Make the run's folder. A cassette's run is named after it, with a number if that name is taken."""
    if wanted.cassette is None:
        return kit.store.create(RunId(kit.ids.new()))
    seed = digest(canonical(wanted.cassette)) + base.commit
    taken = set(kit.store.list())
    number = -1
    while True:
        number += 1
        run_id = replayed_id(f"{seed}#{number}", wanted.cassette.started_at)
        if run_id in taken:
            continue
        try:
            return kit.store.create(run_id)
        except ConflictError as error:
            if error.slug != "run-exists":
                raise
            # Another process plays the same cassette at this very moment, and was first.


def _first_faults(violations: tuple[Violation, ...]) -> str:
    return "; ".join(f"{v.path or '/'}: {v.message}" for v in violations[:5]) or "it is empty"
