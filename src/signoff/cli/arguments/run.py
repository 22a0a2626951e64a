"""Deliver a ticket: refine, plan, implement, test, verify, report.

Nothing of your working tree is touched; the result is a commit under refs/signoff/. Exit 0 signed off,
1 refused, 3 waits for a person, 4 waits for an agent, 5 could not be judged.

--contract starts from a contract in place of a plan; it is asked about unless somebody agreed to exactly
this one in a run of `signoff plan`. --spec delivers the sprints of a spec, each in a run of its own and each
from the result of those before it; --next delivers one. A later call goes on where the last one stood.

examples:
  signoff run ticket.md                         the first coding agent on PATH does the work
  signoff run ticket.md --agent hosted          you, or your coding agent, submit the answers
  signoff run ticket.md --cassette demo.json    play a recorded agent
  signoff run ticket.md --agent command --yes   the program of [agent] command does the work
  signoff run ticket.md --budget-usd 5          ask a person before it costs more
  signoff run gh:owner/repo#12                  an issue on GitHub, read with your gh
  signoff run --contract .signoff/contracts/SHOP-12.json --agent claude
  signoff run --spec checkout --next --agent claude --yes
"""

import argparse

PERSONAS = ("senior-engineer", "qa", "advisory")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "ticket", nargs="?", metavar="TICKET", help="a file, JSON or Markdown; gh:owner/repo#12; - is stdin"
    )
    parser.add_argument("--prompt", metavar="TEXT", help="free text in place of a ticket file")
    parser.add_argument("--contract", metavar="FILE", help="deliver this contract; TICKET may be left out")
    parser.add_argument("--plan", metavar="PLAN.md", help="with --contract: its plan must not have changed")
    parser.add_argument("--spec", metavar="ID", help="deliver the sprints of a spec, by its id or file")
    parser.add_argument("--next", action="store_true", help="with --spec: one sprint")
    configure_agent(parser)
    parser.add_argument(
        "--record", action="store_true", help="leave a cassette of the run in .signoff/cassettes/"
    )


def configure_agent(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` and `plan` share: who does the work, how far, and who agrees to the plan."""
    parser.add_argument(
        "--agent",
        default="",
        metavar="NAME",
        help="who does the work; else [agent] name, else the first found on PATH",
    )
    parser.add_argument("--cassette", metavar="FILE", help="play this recorded agent")
    parser.add_argument(
        "--persona",
        choices=PERSONAS,
        default="senior-engineer",
        help="qa: the full test scope counts; advisory: a plan, and nothing is built",
    )
    parser.add_argument("--budget-usd", metavar="N", help="the most the run may cost, in USD")
    parser.add_argument("--budget-tokens", metavar="N", help="the most tokens the run may use")
    parser.add_argument("--yes", action="store_true", help="approve the plan by policy, without asking")
