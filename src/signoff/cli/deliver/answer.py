"""The action of `signoff answer`."""

from signoff.cli.deliver.answer_result import settle
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.contract_files import unusable
from signoff.cli.shared.files import read_file, readable
from signoff.cli.shared.run_driver import spoken
from signoff.contracts.files.document_files import has_errors
from signoff.domain.base.errors import UsageError
from signoff.domain.ports import RunFolder
from signoff.engine.run.kit import Kit
from signoff.runs.inspect.run_list import find
from signoff.runs.people.given_answers import AnswerReceipt, PersonWord, answer, unanswerable
from signoff.specs.spec_answers import read_answers
from signoff.wiring import build, person


def run(options: Options, say: Output) -> int:
    """Record the answer."""
    if bool(options.words) == bool(options.file):
        raise UsageError(
            "an answer or --file is needed, and not both",
            slug="usage",
            fix="signoff answer RUN [HALT] ANSWER",
        )
    if len(options.words) > 2:
        raise UsageError(
            f"{len(options.words)} words were given, at most a halt and an answer are read",
            slug="usage",
            fix="signoff answer RUN [HALT] ANSWER, with an answer of several words in quotes",
        )
    kit = build(options.root, say.note)
    folder = find(kit, options.run)
    how = spoken()  # before standard input is read to its end
    if options.file:
        accepted = _from_file(kit, folder, options.file, PersonWord(person(), how))
        return settle(kit, folder, say, accepted, resume=options.resume)
    *named, text = options.words
    if text == "-":
        text = read_file("-").decode(errors="replace")
    accepted = answer(kit, folder, named[0] if named else None, readable(text), PersonWord(person(), how))
    return settle(kit, folder, say, accepted, resume=options.resume)


def _from_file(kit: Kit, folder: RunFolder, path: str, word: PersonWord) -> AnswerReceipt:
    """Record every answer of a file, or raise and record none if one of them fits no open halt."""
    given, violations = read_answers(read_file(path))
    if has_errors(violations) or not given:
        raise unusable(path, violations, "answers-invalid", "is not a file of answers")
    if unknown := unanswerable(folder, [one.question_id for one in given]):
        raise UsageError(
            f"{path} answers halts that are not open: {', '.join(unknown)}",
            slug="halt-unknown",
            fix=f"signoff status {folder.run_id}",
        )
    accepted = [answer(kit, folder, one.question_id, one.answer, word) for one in given]
    return accepted[-1]
