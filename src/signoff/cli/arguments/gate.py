"""Judge the working tree against a base by every deterministic gate; no agent, no model, nothing is changed.

  secrets          no added line holds a credential
  test-integrity   no existing test was deleted, skipped, loosened or left out
  test-gap         new views and composables have tests; other new names without one are only mentioned
  protected-paths  settings, runner configuration and CI are as they were, by the base's own settings
  risk             which files to read first; never fails

With --contract FILE also scope and non-goals. With --tests also what runs the project's own commands on
throwaway copies: red-green, build, lint, tests, typecheck and extra (every further check), as the base's
settings or files name them. What was only found counts as in a delivery: where the base bears it out.

Without --base: where the work left main, master or its upstream, whichever is there first, else the last
commit. Exit 0 every gate holds, 1 one does not, 2 could not start, 5 none fails and one could not be judged.

examples:
  signoff gate --base main
  signoff gate --format sarif > gate.sarif
  signoff gate --write-baseline .signoff-baseline.json
  signoff gate --baseline .signoff-baseline.json --format github
  signoff gate --contract contract.json --tests --skip risk
"""

import argparse

GATES = (
    *("secrets", "test-integrity", "test-gap", "protected-paths", "risk", "scope", "non-goals"),
    *("red-green", "build", "lint", "tests", "typecheck", "extra"),
)
FORMATS = ("text", "json", "sarif", "junit", "github")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--base", metavar="REV", help="compare with where the work left REV")
    parser.add_argument("--contract", metavar="FILE", help="also judge its scope and its non-goals")
    parser.add_argument("--tests", action="store_true", help="also run red-green and the project's commands")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"only this gate; one of {', '.join(GATES)}"
    )
    parser.add_argument("--skip", action="append", metavar="NAME", help="leave this gate out")
    parser.add_argument("--baseline", metavar="FILE", help="findings in it are known and do not fail")
    parser.add_argument("--write-baseline", metavar="FILE", help="write what fails now as the baseline")
    parser.add_argument("--format", choices=FORMATS, help="how to tell it; text")
