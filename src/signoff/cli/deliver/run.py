"""The action of `signoff run`."""

from typing import AnyStr

from signoff.cli.shared.budgets import limits
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.contract_files import read_given
from signoff.cli.shared.files import read_file, readable
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.run_driver import conclude, drive
from signoff.cli.shared.run_introduction import introduce
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.work.ticket import Ticket
from signoff.domain.work.work_state import Persona
from signoff.runs.drive.run_start import RunRequest, prompt_ticket, read_cassette, read_ticket, start
from signoff.wiring import build, github_issue, person


def run(options: Options, say: Output) -> int:
    """Start a run and drive it until it ends or waits."""
    _refuse_mixed(options)
    if options.spec:
        from signoff.cli.deliver.spec_delivery import walk

        return walk(options, say)
    given = read_given(options.contract, options.plan) if options.contract else None
    ticket = given.ticket if given is not None and options.ticket is None else asked_ticket(options)
    return begin(options, say, ticket, contract=given.raw if given else b"")


def begin(
    options: Options, say: Output, ticket: Ticket, *, contract: bytes = b"", only_plan: bool = False
) -> int:
    """Start a run as the options say, drive it until it ends or waits, and return the exit code."""
    cassette = read_cassette(read_file(options.cassette), options.cassette) if options.cassette else None
    kit = build(options.root)
    wanted = RunRequest(
        ticket=ticket,
        agent=options.agent,
        cassette=cassette,
        approve_plan=options.yes,
        limits=limits(options.budget_usd, options.budget_tokens),
        record=bool(getattr(options, "record", False)),
        persona=Persona(options.persona),
        only_plan=only_plan,
        contract=contract,
    )
    started = start(kit, wanted)
    introduce(say, started, ticket)
    driven = drive(kit, started.folder, say, person(), Progress(say), ticket)
    return conclude(kit, started.folder, say, driven)


def _refuse_mixed(options: Options) -> None:
    """Refuse options that exclude each other, or that need another one.

    Each loop is one rule over a table of options, so every pair of options is named exactly once.
    """
    for name, example in (("contract", "FILE"), ("spec", "ID"), ("plan", "PLAN.md")):
        if getattr(options, name) == "":
            raise UsageError(f"--{name} is empty", slug="usage", fix=f"--{name} {example}")
    wants = {"a ticket": options.ticket or options.prompt, "--contract": options.contract}
    if options.spec and (also := next((name for name, given in wants.items() if given), None)):
        raise UsageError(f"{also} and --spec exclude each other", slug="usage", fix="leave one of them out")
    if options.contract and options.prompt is not None:
        raise UsageError("--contract and --prompt exclude each other", slug="usage", fix="leave --prompt out")
    for name, needed in (("plan", "contract"), ("next", "spec")):
        if getattr(options, name) and not getattr(options, needed):
            raise UsageError(f"--{name} needs --{needed}", slug="usage", fix=f"add --{needed}")


def asked_ticket(options: Options, command: str = "run") -> Ticket:
    """Return the ticket that the options name: a file, an issue, standard input, or the text of --prompt."""
    if (options.ticket is None) == (options.prompt is None):
        raise UsageError(
            "a ticket file or --prompt TEXT is needed, and not both",
            slug="ticket-missing",
            fix=f"signoff {command} TICKET",
        )
    if options.prompt is not None and options.prompt != "-":
        return prompt_ticket(_not_blank(readable(options.prompt), "--prompt"), "PROMPT")
    name = options.ticket or "-"
    data = _not_blank(github_issue(name) if name.startswith("gh:") else read_file(name), name)
    if options.ticket is None:
        return prompt_ticket(data.decode(errors="replace"), "PROMPT")
    return read_ticket(data, readable(name))


def _not_blank(text: AnyStr, name: str) -> AnyStr:
    """Return the text, or raise `ticket-invalid` if it is blank."""
    if not text.strip():
        raise ConfigError(
            f"{name} is not a ticket",
            slug="ticket-invalid",
            why="it is empty",
            fix="describe the change in it",
        )
    return text
