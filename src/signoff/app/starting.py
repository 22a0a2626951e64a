"""Start a run: pin base, settings, ticket and agent, and write the first two records."""

from typing import NamedTuple

import msgspec

from signoff.app.approvals import approved_before
from signoff.app.budgeting import Limits, pinned_budget
from signoff.app.confining import are_fenced, refuse_below_minimum, refuse_open_agents
from signoff.app.finding import Found, find_agent, program_notes
from signoff.app.kit import Kit
from signoff.app.ledgering import is_kept
from signoff.app.runlog import RunLog, live_stamp, replayed_stamp
from signoff.core.canonical import canonical, digest
from signoff.core.decode import decode
from signoff.core.falling_back import alone, named_in, written_out
from signoff.core.refining.questions import asks_only
from signoff.core.replay_clock import replayed_id, unusable_start
from signoff.core.settings import read_settings
from signoff.core.tickets import parse_ticket
from signoff.domain.budgets import Budget
from signoff.domain.cassettes import Cassette
from signoff.domain.directives import RawPlanProposed
from signoff.domain.errors import ConfigError, ConflictError, UsageError
from signoff.domain.events import EVENT_TYPES, SCHEMA_VERSION, Driver, Index, RunStart
from signoff.domain.ids import CommitId, Digest, RunId, TreeId
from signoff.domain.ports import RunFolder
from signoff.domain.settings import BudgetSettings, PlanApproval, SettingOrigin, Settings
from signoff.domain.ticket import InputKind, Ticket
from signoff.domain.trees import Base
from signoff.domain.violations import Violation
from signoff.domain.work_state import Persona
from signoff.flows import deliver

_LONGEST_TITLE = 120


class Wanted(NamedTuple):
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
    """A contract to deliver, valid by all rules; without one, a planner is asked for it."""
    sprint: "SprintOf | None" = None


class Rehearsed(NamedTuple):
    """What a run that is played to be compared with itself was pinned to, in place of settings and flags."""

    settings: Settings
    budget: Budget | None
    approved_by: str = ""
    """Who had agreed to its contract, by a journal that is not here."""


class SprintOf(NamedTuple):
    """Which sprint of which spec a run delivers, and from where."""

    spec: str
    sprint: str
    base: CommitId | None = None
    """The result of earlier sprints; without one, the run starts from HEAD."""
    follows: RunId | None = None


class Started(NamedTuple):
    """A new run and what a person should know about it."""

    folder: RunFolder
    base: Base
    notes: tuple[str, ...] = ()
    """Which program does the work, where that is worth a word."""


def read_ticket(data: bytes, name: str) -> Ticket:
    """Parse a ticket file; what is wrong with its *form* is an error, what is unclear is a halt later."""
    decoded = parse_ticket(data, name)
    if decoded.value is None:
        raise ConfigError(
            f"{name} is not a ticket",
            slug="ticket-invalid",
            why=_said(decoded.violations),
            fix="a ticket has an id, a title and acceptance criteria; see docs/reference/tickets.md",
        )
    return msgspec.structs.replace(decoded.value, source=name.rpartition("/")[2])


def prompt_ticket(text: str, number: str) -> Ticket:
    """Make a ticket of free text; its criteria are asked for, never invented. A question starts no run."""
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
            why=f"/started_at: it {wrong}" if wrong else _said(decoded.violations),
            fix="make one with `signoff run … --record`",
        )
    return cassette


def settings_at(kit: Kit, tree: TreeId) -> tuple[Settings, tuple[SettingOrigin, ...]]:
    """Read the settings of a tree; a mistake in them stops everything that would rely on them."""
    found = read_settings(
        kit.repository.read(tree, "signoff.toml"), kit.repository.read(tree, "pyproject.toml")
    )
    if found.settings is None:
        raise ConfigError(
            "the settings of the base commit cannot be used",
            slug="settings-invalid",
            why=_said(tuple(v for v in found.violations if v.severity == "error")),
            fix="correct signoff.toml and commit it",
        )
    return found.settings, found.origins


def start(kit: Kit, wanted: Wanted) -> Started:
    """Make the run's folder and its first two records; nothing is carried out yet."""
    sprint = wanted.sprint or SprintOf("", "")
    base = kit.repository.base(sprint.base or "HEAD")
    settings = wanted.rehearsed.settings if wanted.rehearsed else written_out(settings_at(kit, base.tree)[0])
    refuse_below_minimum(settings.sandbox, lambda: kit.checks)
    budget = _budget(wanted, settings)
    found = _who(kit, wanted, settings)
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
    with folder.writer() as journal:
        log = RunLog(journal, stamp)
        log.record(
            Index(
                schema_version=SCHEMA_VERSION,
                flow=deliver.NAME,
                run_id=folder.run_id,
                event_types=EVENT_TYPES,
                started_at=stamp(0),
            )
        )
        log.record(
            RunStart(
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
                proposal=_proposal(folder, wanted.contract),
                approved_by=_approved_by(kit, wanted),
                spec=sprint.spec,
                sprint=sprint.sprint,
                follows=sprint.follows,
                cassette=folder.blobs.put(msgspec.json.encode(wanted.cassette)) if wanted.cassette else None,
                telemetry=is_kept(kit),
            )
        )
    return Started(kit.store.reveal(folder.run_id), base, notes)


def _budget(wanted: Wanted, settings: Settings) -> Budget | None:
    """Give the budget; a cassette spends nothing, so only a flag makes it count."""
    if wanted.rehearsed is not None:
        return wanted.rehearsed.budget
    set_down = settings.budget if wanted.cassette is None else BudgetSettings()
    return pinned_budget(set_down, wanted.limits)


def _approved_by(kit: Kit, wanted: Wanted) -> str:
    if wanted.rehearsed is not None:
        return wanted.rehearsed.approved_by
    return approved_before(kit, wanted.contract) if wanted.contract else ""


def _proposal(folder: RunFolder, contract: bytes) -> Digest | None:
    """Keep a given contract in the shape of a planner's answer, so that it goes the same way."""
    if not contract:
        return None
    return folder.blobs.put(msgspec.json.encode(RawPlanProposed(contract=msgspec.Raw(contract))))


def _who(kit: Kit, wanted: Wanted, settings: Settings) -> Found:
    """Say who does the work: whom the command names, whom the settings name, or whom we find."""
    if wanted.cassette is not None:
        if wanted.agent not in ("", "recorded"):
            raise UsageError(
                f"--cassette plays the recorded agent, not {wanted.agent}",
                slug="agent-conflict",
                fix="leave --agent out",
            )
        return Found("recorded")
    name = wanted.agent or settings.agent.name
    return Found(name) if name else find_agent(kit, settings)


def _roles(wanted: Wanted, settings: Settings, agent: str) -> dict[str, str]:
    """Give the agents of single roles; one that was asked for by a flag does everything."""
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


def _create(kit: Kit, wanted: Wanted, base: Base) -> RunFolder:
    """Make the run's folder; a cassette's run is named after it, with a number where that name is taken."""
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
            # Somebody plays the same cassette at this very moment, and was first.


def _said(violations: tuple[Violation, ...]) -> str:
    return "; ".join(f"{v.path or '/'}: {v.message}" for v in violations[:5]) or "it is empty"
