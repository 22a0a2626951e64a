"""Check an event log, or repair one whose last line was torn by a crash.

`check` checks format, order and hash chain, and compares the log with the anchors in state.json and
certificate.json beside it. The logs of quality audits and calibration cycles are also checked by their own
fields, phases and totals, and against the BUGS.md beside run_state.jsonl. Exit 0 valid, 1 invalid, 2 missing
or unreadable. `repair` cuts off a torn last line, keeps its bytes beside the log, and checks the rest. It
does not touch any other damage.

examples:
  signoff journal check .signoff/runs/01J9ZQ4N3V8XK2R6T0M5B7C1DE/journal.jsonl
  signoff journal check quality/run_state.jsonl --json
  signoff journal repair .signoff/runs/01J9ZQ4N3V8XK2R6T0M5B7C1DE/journal.jsonl
"""

from signoff.cli.shared.command import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

ACTIONS = ("check", "repair")


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("file", metavar="FILE", help="the log; for check, - is standard input")


def plain(words: list[str]) -> Options | None:
    """Read `check FILE [--json]` without argparse, which would cost more than the check of a small log."""
    rest = [word for word in words if word != "--json"]
    if len(rest) != 2 or rest[0] not in ACTIONS or any(w.startswith("-") and w != "-" for w in rest):
        return None
    options = Options()
    options.json, options.action, options.file = len(rest) < len(words), rest[0], rest[1]
    return options
