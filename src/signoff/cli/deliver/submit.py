"""The action of `signoff submit`."""

from signoff.cli.deliver.answer_result import settle
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import read_file
from signoff.cli.shared.run_driver import spoken
from signoff.runs.inspect.run_list import find
from signoff.runs.people.given_answers import PersonWord, submit
from signoff.wiring import build, person


def run(options: Options, say: Output) -> int:
    """Record the answer if it is well-formed."""
    kit = build(options.root, say.note)
    folder = find(kit, options.run)
    how = spoken()
    accepted = submit(kit, folder, read_file(options.file), PersonWord(person(), how), options.directive)
    return settle(kit, folder, say, accepted, resume=options.resume)
