"""The action of `signoff plan`."""

from signoff.cli.command import Options, Say
from signoff.cli.run import asked_ticket, begin


def run(options: Options, say: Say) -> int:
    """Plan until there is a contract, or the run waits for an answer."""
    return begin(options, say, asked_ticket(options, "plan"), only_plan=True)
