"""The settings as one frozen object, read once, with the source of each value. Pure records.

Field names are the keys of `signoff.toml` (or `[tool.signoff]` in pyproject.toml). A run uses the settings
*of its base commit*, so an agent that edits the file cannot weaken its own checks.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from signoff.domain.base.record import Record
from signoff.domain.machine.sandbox_records import Level, SandboxChoice
from signoff.domain.work.budgets import Price, Tokens, Usd
from signoff.domain.work.strategies import GateWord, Port, StrategyKind
from signoff.domain.work.work_state import Persona

Argv = Annotated[tuple[str, ...], Meta(min_length=1)]
PositiveInt = Annotated[int, Meta(ge=1)]


class ExtraCheck(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[checks.extra]]`: one more command of the project that a result must pass."""

    name: GateWord
    """Its gate is `gate/<name>`: small letters, digits and hyphens."""
    command: Argv
    """Words, not a line: no shell reads them. `{port}` stands for the port of `serve`."""
    kind: StrategyKind = StrategyKind.COMMAND
    """`typecheck`, `lint`, `build`, `api`, `browser` or `command`."""
    required: bool = True
    """Whether a delivery is refused without it. Otherwise its result is only reported."""
    timeout_s: PositiveInt | None = None
    """How long it may take, with its server. `checks.timeout_s` if not set."""
    report: str | None = None
    """A JUnit XML file that the command writes, relative to the root. It must agree with the exit code."""
    serve: Argv | None = None
    """A server that runs beside the command, on loopback. `{port}` is a free port, also in $PORT."""
    ready_url: str | None = None
    """The server is ready when this answers, such as `http://127.0.0.1:{port}/health`."""
    ready_port: Port | None = None
    """Or: the server is ready when something listens on this port."""
    ready_timeout_s: PositiveInt = 60
    """How long the server may take to be ready."""


class Preset(StrEnum):
    """Which strategies a kind of project must have."""

    NEXTJS = "nextjs"
    REACT_VITE = "react-vite"
    API_NODE = "api-node"
    PYTHON_API = "python-api"
    GO = "go"
    RUST = "rust"


class CheckSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[checks]`: what a result must pass, and which files no agent may change."""

    test: Argv | None = None
    """Test command as a list of words, detected when absent."""
    build: Argv | None = None
    """Build command as a list of words, detected when absent."""
    lint: Argv | None = None
    """Lint command as a list of words, detected when absent."""
    typecheck: Argv | None = None
    """Type check as a list of words, detected when absent."""
    preset: Preset | None = None
    """`nextjs`, `react-vite`, `api-node`, `python-api`, `go` or `rust`: what such a project must pass."""
    extra: tuple[ExtraCheck, ...] = ()
    """Further commands, as `[[checks.extra]]` tables: `name`, `command`, `kind`, `serve` and more."""
    test_report: str | None = None
    """A JUnit XML file that the test command writes, relative to the root, for runners we do not know."""
    carry: tuple[str, ...] = ()
    """Dependency folders copied beside a materialised tree, such as `node_modules` or `.venv`."""
    timeout_s: PositiveInt = 600
    """How long a test, build or lint command may take."""
    protected: tuple[str, ...] = ()
    """Further globs that no agent may change."""
    unprotected: tuple[str, ...] = ()
    """Globs taken off the built-in list of protected paths."""


class PlanApproval(StrEnum):
    """Who says yes to a plan."""

    PERSON = "person"
    POLICY = "policy"


class PlanSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[plan]`: who approves a contract."""

    approve: PlanApproval = PlanApproval.PERSON
    """`person` asks on a terminal. `policy` seals what passes the rules without asking."""


class RoleSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of one role. What is empty is taken from `[agent]`."""

    name: str = ""
    model: str = ""
    effort: str = ""


class FallbackFor(StrEnum):
    """The failures after which another agent may be asked, never a refusal. `any` is each without a list."""

    ANY = "any"
    RATE_LIMITED = "rate-limited"
    QUOTA_EXCEEDED = "quota-exceeded"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server-error"
    NETWORK = "network"
    AUTH = "auth"
    CONTEXT_OVERFLOW = "context-overflow"
    CRASHED = "crashed"
    NO_END = "no-end"
    SILENT = "silent"
    NOT_STARTED = "not-started"


class AgentSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[agent]`: who does the work."""

    name: str = ""
    """`claude`, `codex`, `goose`, `opencode`, `copilot`, `gemini`, `qwen`, `acp`, `command` or `hosted`.
    A flag on the command line wins.
    """
    command: Argv | None = None
    """For `command`: a program that reads a directive as JSON on stdin and answers as JSON on stdout."""
    model: str = ""
    """The model to ask for. Empty means the agent's own default."""
    effort: str = ""
    """How hard it is to think, for agents that have such an option: `low`, `medium`, `high`."""
    timeout_s: PositiveInt = 1800
    """How long one dispatch may take."""
    silence_s: PositiveInt | None = None
    """How long an agent may print nothing at all before it counts as frozen."""
    planner: RoleSettings = RoleSettings()
    """Another agent, model or effort for plans."""
    builder: RoleSettings = RoleSettings()
    """Another agent, model or effort for tasks."""
    evaluator: RoleSettings = RoleSettings()
    """Another agent, model or effort for evaluations."""
    fallback: dict[FallbackFor, tuple[str, ...]] = {}
    """Other agents to ask when one fails for good: lists of names by failure, or `any`."""
    env: tuple[str, ...] = ()
    """Names of environment variables the agent may see."""
    program: Argv | None = None
    """The words that start the agent's program, if it is not on PATH under its name. `acp` needs them."""
    args: tuple[str, ...] = ()
    """Further words on the command line of the agent's program, after ours."""
    credentials: tuple[str, ...] = ()
    """Files of its login that the agent may see, such as `~/.claude/.credentials.json`."""


class LimitSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]`: every loop has a cap."""

    parallel: PositiveInt = 4
    """How many agents work at once."""
    plan_revisions: Annotated[int, Meta(ge=0)] = 2
    """How often a plan is sent back."""
    rework: Annotated[int, Meta(ge=0)] = 3
    """How often a task is sent back."""
    retries: Annotated[int, Meta(ge=0)] = 3
    """How often a dispatch that failed is tried again before a person is asked."""
    max_sprints: PositiveInt = 10
    """How many sprints of a spec one `signoff run --spec` delivers at most."""


class BudgetSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[budget]`: what one run may spend. Without a limit, spending is only reported."""

    usd: Usd | None = None
    """The most a run may cost. `--budget-usd` wins."""
    tokens: Tokens | None = None
    """The most tokens of all kinds, those of caches too. `--budget-tokens` wins."""
    reserve_usd: Usd | None = None
    """What a dispatch sets aside, and counts for if its cost is unknown. A tenth of `usd` when absent."""
    reserve_tokens: Tokens | None = None
    """The same in tokens. A tenth of `tokens` when absent."""
    warn_at: Annotated[float, Meta(gt=0, le=1)] = 0.8
    """The share of the budget at which a warning is printed."""


class EvaluateSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[evaluate]`: an agent that looks for what the checks do not see."""

    agent: bool = False
    """Whether an agent examines a result once all checks pass. It can send the result back, never pass it."""
    required: bool = False
    """Whether a result without an evaluation could not be judged."""


class Trust(StrEnum):
    """What a hosted run relies on."""

    WITNESS = "witness"
    CLAIMS = "claims"


class HostedSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[hosted]`: runs that a host drives with `signoff work`."""

    trust: Trust = Trust.WITNESS
    """`witness`: the engine examines files and runs the tests. `claims`: it relies on the host's reports."""
    persona: Persona = Persona.SENIOR_ENGINEER
    """`senior-engineer`, `qa` (all tests) or `advisory` (plan only). `--persona` of a fresh run wins."""


class HookPoint(StrEnum):
    """Where a hosted cycle asks its observers."""

    BEFORE_LOAD = "before_load"
    AFTER_LOAD = "after_load"
    BEFORE_DISPATCH = "before_dispatch"
    AFTER_DISPATCH = "after_dispatch"
    BEFORE_SAVE = "before_save"
    AFTER_SAVE = "after_save"
    BEFORE_STEP = "before_step"
    AFTER_STEP = "after_step"
    ON_HALT = "on_halt"
    ON_ERROR = "on_error"


class HookCommand(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that observes. It gets the record as JSON. Exit 0 passes, 2 vetoes, all else is a warning."""

    points: Annotated[tuple[HookPoint, ...], Meta(min_length=1)]
    command: Argv
    """Words, not a line: no shell reads them. Run at the root."""
    timeout_s: PositiveInt = 10
    name: str = ""
    """Its name in halts and warnings, by default that of the program."""


class HookSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[hooks]`: observers of `signoff work`."""

    enabled: bool = False
    """Whether any of the other hook settings has an effect."""
    trace: bool = False
    """A line on stderr for every point."""
    halt_surface_audit: bool = True
    """Warn of a halt that is not as hosts read it."""
    state_shape: bool = True
    """Veto a state file that does not read back as itself."""
    directive_set_guard: bool = True
    """Veto a state file whose directive set is not the one that was decided."""
    commands: tuple[HookCommand, ...] = ()
    """Programs that observe: `points`, `command`, `timeout_s`, `name`. See the page on hooks."""


class SandboxSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[sandbox]`: how far programs are confined to their own folders."""

    checks: SandboxChoice = SandboxChoice.AUTO
    """For tests, builds, linters and commands of a plan. `auto` is the best that this machine offers."""
    agents: SandboxChoice = SandboxChoice.AUTO
    """For agents. `auto` is the best that the machine offers and the agent is known to work in."""
    minimum: Level = Level.NONE
    """The lowest level with which anything is started."""
    network_for_checks: bool = True
    """Whether a check may use the network."""


class NotifyEvent(StrEnum):
    """What a notification can be about."""

    HALT = "halt"
    END = "end"


class NotifySettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[notify]`: a program that tells you when a run waits for you, or has ended."""

    command: Argv | None = None
    """Words, not a line: no shell reads them. It gets JSON on standard input and runs at the root."""
    on: tuple[NotifyEvent, ...] = (NotifyEvent.HALT, NotifyEvent.END)
    """`halt`: the run waits for a person. `end`: it has ended."""
    timeout_s: PositiveInt = 10
    """How long it may take. The run waits for it."""


class Settings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings."""

    checks: CheckSettings = CheckSettings()
    plan: PlanSettings = PlanSettings()
    agent: AgentSettings = AgentSettings()
    limits: LimitSettings = LimitSettings()
    evaluate: EvaluateSettings = EvaluateSettings()
    hosted: HostedSettings = HostedSettings()
    hooks: HookSettings = HookSettings()
    sandbox: SandboxSettings = SandboxSettings()
    budget: BudgetSettings = BudgetSettings()
    prices: dict[str, Price] = {}
    notify: NotifySettings = NotifySettings()


class SettingOrigin(Record, frozen=True, kw_only=True):
    """One value and where it came from."""

    name: str
    value: str
    source: str
