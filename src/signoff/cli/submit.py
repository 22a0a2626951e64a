"""The action of `signoff submit`."""

from signoff.app.answering import Word, submit
from signoff.app.looking import find
from signoff.cli.accepting import settle
from signoff.cli.command import Options, Say
from signoff.cli.driving import spoken
from signoff.cli.files import read_file
from signoff.wiring import build, person


def run(options: Options, say: Say) -> int:
    """Record the answer if it is well-formed."""
    kit = build(options.root, say.note)
    folder = find(kit, options.run)
    how = spoken()
    accepted = submit(kit, folder, read_file(options.file), Word(person(), how), options.directive)
    return settle(kit, folder, say, accepted, resume=options.resume)
