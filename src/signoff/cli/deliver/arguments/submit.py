"""Hand in the answer to a directive: what a hosted agent says when it is done in its checkout.

The answer is JSON by the schema of the directive (see `signoff runs show RUN --json`, or the directive's
file). It is a claim and nothing more: the files in the checkout are what is judged. A malformed answer is
not recorded, and exit 1 names everything that is wrong with it.

examples:
  signoff submit latest answer.json
  echo '{"kind": "done"}' | signoff submit 01J9ZQ - --directive implement/T1/attempt-1/dispatch-1 --resume
"""

import argparse

from signoff.cli.deliver.arguments.answer import configure_resume


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of it, or latest")
    parser.add_argument("file", metavar="FILE", help="the answer, JSON; - is standard input")
    parser.add_argument("--directive", metavar="KEY", help="which directive, where several are open")
    configure_resume(parser)
