"""Deliver a ticket: refine, plan, implement, test, verify, report.

Nothing of your working tree is touched; the result is a commit under refs/signoff/. Exit 0 signed off,
1 refused, 3 waits for a person, 4 waits for an agent, 5 could not be judged.

examples:
  signoff run ticket.md                         the first coding agent on PATH does the work
  signoff run ticket.md --agent hosted          you, or your coding agent, submit the answers
  signoff run ticket.md --cassette demo.json    play a recorded agent
  signoff run ticket.md --agent command --yes   the program of [agent] command does the work
  signoff run ticket.md --budget-usd 5          ask a person before it costs more
  signoff run gh:owner/repo#12                  an issue on GitHub, read with your gh
"""

import argparse
from typing import AnyStr

from signoff.app.starting import Started, Wanted, prompt_ticket, read_cassette, read_ticket, start
from signoff.cli.budgets import limits
from signoff.cli.command import Options, Say
from signoff.cli.driving import conclude, drive
from signoff.cli.files import read_file, readable
from signoff.cli.progress import Progress
from signoff.domain.errors import ConfigError, UsageError
from signoff.domain.ticket import Ticket
from signoff.wiring import build, github_issue, person

_MOST_SHOWN = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "ticket", nargs="?", metavar="TICKET", help="a file, JSON or Markdown; gh:owner/repo#12; - is stdin"
    )
    parser.add_argument("--prompt", metavar="TEXT", help="free text in place of a ticket file")
    parser.add_argument(
        "--agent",
        default="",
        metavar="NAME",
        help="who does the work; else [agent] name, else the first found on PATH",
    )
    parser.add_argument("--cassette", metavar="FILE", help="play this recorded agent")
    parser.add_argument(
        "--record", action="store_true", help="leave a cassette of the run in .signoff/cassettes/"
    )
    parser.add_argument("--budget-usd", metavar="N", help="the most the run may cost, in USD")
    parser.add_argument("--budget-tokens", metavar="N", help="the most tokens the run may use")
    parser.add_argument("--yes", action="store_true", help="approve the plan by policy, without asking")


def run(options: Options, say: Say) -> int:
    """Start a run and drive it until it rests."""
    ticket = _ticket(options)
    cassette = read_cassette(read_file(options.cassette), options.cassette) if options.cassette else None
    kit = build(options.root)
    wanted = Wanted(
        ticket=ticket,
        agent=options.agent,
        cassette=cassette,
        approve_plan=options.yes,
        record=options.record,
        limits=limits(options.budget_usd, options.budget_tokens),
    )
    started = start(kit, wanted)
    introduce(say, started, ticket)
    driven = drive(kit, started.folder, say, person(), Progress(say))
    return conclude(kit, started.folder, say, driven)


def introduce(say: Say, started: Started, ticket: Ticket) -> None:
    """Say what was started, and what of the working tree is not part of it."""
    base = started.base
    say.note(f"run {started.folder.run_id}: {ticket.id} {ticket.title} (base {base.commit[:12]})")
    for note in started.notes:
        say.note(note)
    if base.dirty:
        more = len(base.dirty) - _MOST_SHOWN
        shown = ", ".join(base.dirty[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
        say.note(f"note: uncommitted changes are not part of the base: {shown}")
    if base.submodules:
        say.note(f"note: submodules are known by their commit alone: {', '.join(base.submodules)}")


def _ticket(options: Options) -> Ticket:
    if (options.ticket is None) == (options.prompt is None):
        raise UsageError(
            "give either a ticket file or --prompt TEXT", slug="ticket-missing", fix="signoff run TICKET"
        )
    if options.prompt is not None and options.prompt != "-":
        return prompt_ticket(_said(readable(options.prompt), "--prompt"), "PROMPT")
    name = options.ticket or "-"
    data = _said(github_issue(name) if name.startswith("gh:") else read_file(name), name)
    if options.ticket is None:
        return prompt_ticket(data.decode(errors="replace"), "PROMPT")
    return read_ticket(data, readable(name))


def _said(text: AnyStr, name: str) -> AnyStr:
    """Give the text unless there is none: of an empty file no question can make a ticket."""
    if not text.strip():
        raise ConfigError(
            f"{name} is not a ticket",
            slug="ticket-invalid",
            why="it is empty",
            fix="write down what is wanted",
        )
    return text
