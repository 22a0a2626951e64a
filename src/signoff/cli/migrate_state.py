"""Bring the state file of a hosted run from version 0 into version 1.

SRC is .implement-ticket-state.json if not given. The new file is .work-state.json beside it, and never
overwrites another file. Then SRC is renamed to SRC.bak, or to SRC.bak.1 and so on if that is taken.
With --no-backup it keeps its name. A SRC that is in version 1 already is left alone.

examples:
  signoff migrate-state
  signoff migrate-state old/.implement-ticket-state.json --destination .work-state.json
  signoff migrate-state --no-backup --json
"""

import argparse
import os

from signoff.app.migrating import Migration, migrate_state
from signoff.cli.command import Options, Say
from signoff.cli.files import readable
from signoff.domain.work_state import V0_NAME, V1_NAME
from signoff.wiring import state_files


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("source", metavar="SRC", nargs="?", help=f"the state file; {V0_NAME} if not given")
    parser.add_argument(
        "--destination", metavar="FILE", help=f"the new file; {V1_NAME} beside SRC if not given"
    )
    parser.add_argument(
        "--no-backup", action="store_true", help="leave SRC where it is instead of renaming it to SRC.bak"
    )


def run(options: Options, say: Say) -> int:
    """Migrate one file."""
    source = options.source or os.path.normpath(os.path.join(options.root, V0_NAME))
    destination = options.destination or os.path.join(os.path.dirname(source), V1_NAME)
    done = migrate_state(state_files(), source, destination, keeps_backup=not options.no_backup)
    document = {
        "source": readable(done.source),
        "destination": readable(done.destination),
        "backup": None if done.backup is None else readable(done.backup),
    }
    say.result(document, _summary(done))
    return 0


def _summary(done: Migration) -> str:
    if done.is_done_before:
        return f"{done.source} is in version 1 already; nothing to do"
    moved = f"{done.source} is {done.backup} now" if done.backup else f"{done.source} was left as it is"
    return f"{done.destination} written\n{moved}"
