"""The action of `signoff plan`."""

from signoff.cli.deliver.run import asked_ticket, begin
from signoff.cli.shared.command import Options, Output


def run(options: Options, say: Output) -> int:
    """Plan until there is a contract, or the run waits for an answer."""
    return begin(options, say, asked_ticket(options, "plan"), only_plan=True)
