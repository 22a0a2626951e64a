"""Plan a ticket and stop there: a spec and a contract, no work.

The steps refine, memory, analyze and plan of a delivery; those behind are skipped. When the contract is
sealed the run ends as `planned` and leaves .signoff/contracts/ID.json and .signoff/specs/ID.json, ID being
that of the ticket; a file of somebody else is never replaced, the next free number is taken. Exit 0 planned,
1 no acceptable plan, 3 waits for a person: for an answer, or for somebody to agree; 4 waits for an agent.

examples:
  signoff plan ticket.md --agent claude
  signoff plan ticket.md --agent hosted --json
  signoff answer latest --file answers.json --resume    several questions at once
  signoff run --contract .signoff/contracts/SHOP-12.json --agent claude
"""

import argparse

from signoff.cli.arguments.run import configure_agent


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "ticket", nargs="?", metavar="TICKET", help="a file, JSON or Markdown; - is standard input"
    )
    parser.add_argument("--prompt", metavar="TEXT", help="free text in place of a ticket file")
    configure_agent(parser)
