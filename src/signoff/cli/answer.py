"""Answer a halt that waits for a person; an option may be given by its number.

The answer is recorded; the run goes on with `signoff runs resume RUN`, or at once with --resume. What is
typed on a terminal is a person's word; anything else is relayed, and a plan approved that way is approved
by nobody.

examples:
  signoff answer latest 1
  signoff answer 01J9ZQ plan/attempt-1/approval approve --resume
  printf '%s\\n' 'A code takes 10 % off' 'An unknown code is refused' | signoff answer latest refine/ticket -
"""

import argparse

from signoff.app.answering import Word, answer
from signoff.app.looking import find
from signoff.cli.accepting import configure_resume, settle
from signoff.cli.command import Options, Say
from signoff.cli.driving import spoken
from signoff.cli.files import read_file, readable
from signoff.domain.errors import UsageError
from signoff.wiring import build, person


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of it, or latest")
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[HALT] ANSWER",
        help="the halt where several are open; - is standard input",
    )
    configure_resume(parser)
    parser.usage = "signoff answer [--json] [-C DIR] [--resume] RUN [HALT] ANSWER"


def run(options: Options, say: Say) -> int:
    """Record the answer."""
    if len(options.words) > 2:
        raise UsageError(
            f"{len(options.words)} words are too many",
            slug="usage",
            fix="signoff answer RUN [HALT] ANSWER, with an answer of several words in quotes",
        )
    *named, text = options.words
    kit = build(options.root, say.note)
    folder = find(kit, options.run)
    how = spoken()  # before standard input is read to its end
    if text == "-":
        text = read_file("-").decode(errors="replace")
    accepted = answer(kit, folder, named[0] if named else None, readable(text), Word(person(), how))
    return settle(kit, folder, say, accepted, resume=options.resume)
