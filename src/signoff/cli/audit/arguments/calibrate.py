"""Judge a calibration cycle, or measure how much of one bug list another one found again.

  verdict FILE              ship, revert, iterate or halt-iterate-cap, in exact arithmetic. FILE is a JSON
                            object: recall_before, recall_after (benchmark to recall), council (ship, block,
                            iterate), and if need be iteration (1), iterate_cap (3), noise_floor (0.05),
                            bugs_before, bugs_after. Exit 0 ship, 1 otherwise, 2 unreadable or invalid.
  recall BASELINE CURRENT   recall and precision of the `### BUG-NNN` of two Markdown files, paired one to
                            one. Exit 0 measured, 2 unreadable. Recall is null for an empty baseline.

examples:
  signoff calibrate verdict cycle.json
  signoff calibrate recall baseline/BUGS.md quality/BUGS.md --json
"""

import argparse

ACTIONS = {"verdict": 1, "recall": 2}
"""How many files each takes."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=tuple(ACTIONS))
    parser.add_argument("files", nargs="+", metavar="FILE", help="- is standard input")
