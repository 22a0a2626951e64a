"""What `signoff work` answered to scripted hosts, and whether it still does.

DIR holds scenarios/ID.json, each a small project, a want, and what the host does after each cycle. `capture`
plays them with real git and real test runs and writes packs/. `replay` plays them again from what was
observed then, without git and test runs: every difference in exit codes, halts, directives, outcomes, scores
or standings is named; words may change. `verify` compares checksums and runs nothing. Exit 1: there are
differences.

examples:
  signoff golden capture tests/golden/hosted
  signoff golden replay tests/golden/hosted
  signoff golden replay tests/golden/hosted happy-ticket --json
  signoff golden verify tests/golden/hosted
"""

import argparse

from signoff.app.golden.judging import Judged, capture, replay, verify
from signoff.cli.command import Options, Say
from signoff.domain.golden import Difference
from signoff.testing.hosted.live import live_stage
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.shelf import DiskShelf

_MOST_SHOWN = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("capture", "replay", "verify"), help="what to do")
    parser.add_argument("folder", metavar="DIR", help="where scenarios/ and packs/ are")
    parser.add_argument("ids", metavar="ID", nargs="*", help="scenarios; all if none is named")


def run(options: Options, say: Say) -> int:
    """Capture, replay or verify."""
    shelf = DiskShelf(options.folder)
    ids = tuple(options.ids)
    match options.action:
        case "capture":
            judged = capture(shelf, ids, live_stage)
        case "replay":
            judged = replay(shelf, ids, RecordedStage)
        case _:
            judged = verify(shelf)
    say.result({"scenarios": judged}, _text(options.action, judged))
    return 0 if all(one.ok for one in judged) else 1


def _text(action: str, judged: tuple[Judged, ...]) -> str:
    differences = [difference for one in judged for difference in one.differences]
    lines = [_line(difference) for difference in differences[:_MOST_SHOWN]]
    if len(differences) > _MOST_SHOWN:
        lines.append(f"and {len(differences) - _MOST_SHOWN} more")
    done = {"capture": "captured", "replay": "replayed", "verify": "verified"}[action]
    return "\n".join((*lines, f"{len(judged)} {done}, {len(differences)} differences"))


def _line(difference: Difference) -> str:
    where = f"{difference.scenario or 'the set'}"
    cycle = f" cycle {difference.cycle}" if difference.cycle else ""
    return f"{where}{cycle} {difference.pointer or '/'}: {difference.before} → {difference.after}"
