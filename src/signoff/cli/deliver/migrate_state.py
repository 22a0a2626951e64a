"""The action of `signoff migrate-state`."""

import os

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import readable
from signoff.domain.work.work_state import V0_NAME, V1_NAME
from signoff.hosted.state_migration import Migration, migrate_state
from signoff.wiring import state_files


def run(options: Options, say: Output) -> int:
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
