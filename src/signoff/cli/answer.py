"""Answer a halt that waits for a person; an option may be given by its number.

The answer is recorded; the run goes on with `signoff runs resume RUN`, or at once with --resume. What is
typed on a terminal is a person's word; anything else is relayed, and a plan approved that way is approved
by nobody. A halt may be named by the last part of its id, such as Q1. --file answers several at once: a JSON
object of answers by halt, taken whole or not at all.

examples:
  signoff answer latest 1
  signoff answer 01J9ZQ plan/attempt-1/approval approve --resume
  signoff answer latest --file answers.json --resume     {"Q1": "only EUR", "Q2": "no"}
  printf '%s\\n' 'A code takes 10 % off' 'An unknown code is refused' | signoff answer latest refine/ticket -
"""

import argparse

from signoff.app.answering import Accepted, Word, answer, unanswerable
from signoff.app.kit import Kit
from signoff.app.looking import find
from signoff.cli.accepting import configure_resume, settle
from signoff.cli.command import Options, Say
from signoff.cli.contract_files import unusable
from signoff.cli.driving import spoken
from signoff.cli.files import read_file, readable
from signoff.core.formats.documents import has_errors
from signoff.core.spec_answers import read_answers
from signoff.domain.errors import UsageError
from signoff.domain.ports import RunFolder
from signoff.wiring import build, person


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", help="id of the run, the beginning of it, or latest")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="[HALT] ANSWER",
        help="the halt where several are open; - is standard input",
    )
    parser.add_argument("--file", metavar="FILE", help="answers by halt, as JSON; - is standard input")
    configure_resume(parser)
    parser.usage = "signoff answer [--json] [-C DIR] [--resume] RUN ([HALT] ANSWER | --file FILE)"


def run(options: Options, say: Say) -> int:
    """Record the answer."""
    if bool(options.words) == bool(options.file):
        raise UsageError("give an answer, or --file", slug="usage", fix="signoff answer RUN [HALT] ANSWER")
    if len(options.words) > 2:
        raise UsageError(
            f"{len(options.words)} words are too many",
            slug="usage",
            fix="signoff answer RUN [HALT] ANSWER, with an answer of several words in quotes",
        )
    kit = build(options.root, say.note)
    folder = find(kit, options.run)
    how = spoken()  # before standard input is read to its end
    if options.file:
        accepted = _from_file(kit, folder, options.file, Word(person(), how))
        return settle(kit, folder, say, accepted, resume=options.resume)
    *named, text = options.words
    if text == "-":
        text = read_file("-").decode(errors="replace")
    accepted = answer(kit, folder, named[0] if named else None, readable(text), Word(person(), how))
    return settle(kit, folder, say, accepted, resume=options.resume)


def _from_file(kit: Kit, folder: RunFolder, path: str, word: Word) -> Accepted:
    """Record every answer of a file; where one of them has no halt, none is."""
    given, violations = read_answers(read_file(path))
    if has_errors(violations) or not given:
        raise unusable(path, violations, "answers-invalid", "is not a file of answers")
    if unknown := unanswerable(folder, [one.question_id for one in given]):
        raise UsageError(
            f"{path} answers what is not open: {', '.join(unknown)}",
            slug="halt-unknown",
            fix=f"signoff status {folder.run_id}",
        )
    accepted = [answer(kit, folder, one.question_id, one.answer, word) for one in given]
    return accepted[-1]
