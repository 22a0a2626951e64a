"""Deliver a ticket: refine, plan, implement, test, verify, report.

Your working tree is not touched. The result is a commit under refs/signoff/. Exit 0 signed off, 1 refused,
3 waits for a person, 4 waits for an agent, 5 could not be judged.

--contract starts from a contract, and no plan is made. A person must approve it, unless exactly this contract
was approved in a run of `signoff plan`. --spec delivers the sprints of a spec, each in its own run and on top
of the sprints before it; --next delivers one sprint. The next call continues where the last one stopped.

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
        "ticket",
        nargs="?",
        metavar="TICKET",
        help="a JSON or Markdown file, gh:owner/repo#12, or - for stdin",
    )
    parser.add_argument("--prompt", metavar="TEXT", help="free text instead of a ticket file")
    parser.add_argument("--contract", metavar="FILE", help="deliver this contract; TICKET is optional then")
    parser.add_argument(
        "--plan", metavar="PLAN.md", help="with --contract: refuse if this plan changed since"
    )
    parser.add_argument("--spec", metavar="ID", help="deliver the sprints of a spec, by its id or file")
    parser.add_argument("--next", action="store_true", help="with --spec: deliver one sprint")
    configure_agent(parser)
    parser.add_argument(
        "--record", action="store_true", help="write a cassette of the run to .signoff/cassettes/"
    )


def configure_agent(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` and `plan` share: the agent, its limits, and who approves the plan."""
    parser.add_argument(
        "--agent",
        default="",
        metavar="NAME",
        help="the agent; default: [agent] name, else the first one found on PATH",
    )
    parser.add_argument("--cassette", metavar="FILE", help="replay a recorded agent")
    parser.add_argument(
        "--persona",
        choices=PERSONAS,
        default="senior-engineer",
        help="qa: run the full test scope; advisory: make a plan, build nothing",
    )
    parser.add_argument("--budget-usd", metavar="N", help="the most the run may cost, in USD")
    parser.add_argument("--budget-tokens", metavar="N", help="the most tokens the run may use")
    parser.add_argument("--yes", action="store_true", help="approve the plan without asking")
