"""Check a claim about a build, test or lint run against its log.

  check LOG   does the log show what is claimed? A report (JUnit XML, or the runner's JSON) outranks the text.
              Exit 0 yes; 1 no, also when the log is missing, empty, cut off, or of no tool that is known.

LOG may be - for standard input.

examples:
  signoff evidence check --claim test --status passed test.log
  signoff evidence check --claim test --status failed test.log --report junit.xml --json
  pytest 2>&1 | signoff evidence check --claim test --status passed -
"""

import argparse

CLAIMS = ("build", "test", "lint")
STATUSES = ("passed", "failed")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("check",))
    parser.add_argument("log", metavar="LOG", help="the captured output; - is standard input")
    parser.add_argument("--claim", choices=CLAIMS, required=True, help="the kind of run")
    parser.add_argument("--status", choices=STATUSES, required=True, help="how it is said to have ended")
    parser.add_argument("--report", metavar="FILE", help="the runner's own report: JUnit XML or JSON")
