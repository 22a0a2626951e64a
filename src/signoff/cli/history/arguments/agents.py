"""Show which agents ran here: one line for each dispatch, from the ledger in .signoff/agent-runs.jsonl.

  list            every dispatch, oldest first (also without any word)
  prune           remove what began before a day, and its logs (nothing is ever removed by itself)
  rebuild         append what the journals of the runs have and the ledger lacks

`--failed` shows dispatches that did not succeed, and verifiers whose result was not a pass. The ledger holds
no prompts, answers, output, file contents or diffs. SIGNOFF_TELEMETRY=off stops writing, not reading.
Exit 0, or 1 when a line of the ledger, or a run to rebuild from, could not be read: it is named, and the rest
is shown.

examples:
  signoff agents --last 20
  signoff agents --failed --task T1 --json
  signoff agents prune --before 2026-01-31
"""

import argparse
from datetime import date


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action", nargs="?", default="list", choices=("list", "prune", "rebuild"), metavar="ACTION"
    )
    parser.add_argument("--failed", action="store_true", help="only what did not succeed")
    parser.add_argument("--task", default="", metavar="T1", help="only dispatches for this task")
    parser.add_argument("--last", type=_positive_number, metavar="N", help="only the newest N")
    parser.add_argument(
        "--before", type=_day, metavar="DATE", help="for prune: a day, such as 2026-01-31 (UTC)"
    )


def _positive_number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def _day(text: str) -> str:
    try:
        is_day = date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_day = False
    if not is_day:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-01-31")
    return text
