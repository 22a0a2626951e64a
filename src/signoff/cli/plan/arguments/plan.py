"""Make a spec and a contract for a ticket, and stop there.

Runs the steps refine, memory, analyze and plan of a delivery. Once the contract is sealed the run ends as
`planned`, and leaves .signoff/contracts/ID.json and .signoff/specs/ID.json with the id of the ticket. Other
files are not replaced: the next free number is added to the name. Exit 0 planned, 1 no acceptable plan,
3 waits for a person (an answer or an approval), 4 waits for an agent.

examples:
  signoff plan ticket.md --agent claude
  signoff plan ticket.md --agent hosted --json
  signoff answer latest --file answers.json --resume    several questions at once
  signoff run --contract .signoff/contracts/SHOP-12.json --agent claude
"""

import argparse

from signoff.cli.deliver.arguments.run import configure_agent


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ticket", nargs="?", metavar="TICKET", help="a JSON or Markdown file, or - for stdin")
    parser.add_argument("--prompt", metavar="TEXT", help="free text instead of a ticket file")
    configure_agent(parser)
