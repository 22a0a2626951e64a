"""Judge the working tree against a base by every deterministic gate. No agent, no model, nothing is changed.

  secrets          no added line holds a credential
  test-integrity   no existing test was deleted, skipped, loosened or left out
  test-gap         new views and composables have tests; other new names without one are only mentioned
  protected-paths  settings, runner configuration and CI did not change, by the settings of the base
  risk             which files to read first; never fails

With --contract FILE also scope and non-goals. With --tests also the gates that run the project's commands on
throwaway copies: red-green, build, lint, tests, typecheck and extra (every further check), as settings or
files of the base name them. A command that was only detected counts if the base passes it, as in a delivery.

The default of --base is where the work left main, master or its upstream, whichever exists first, else the
last commit. Exit 0 every gate passes, 1 one fails, 2 could not start, 5 none fails and one could not be
judged.

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
    parser.add_argument("--base", metavar="REV", help="compare with the commit where the work left REV")
    parser.add_argument(
        "--contract", metavar="FILE", help="also judge the scope and the non-goals of this contract"
    )
    parser.add_argument("--tests", action="store_true", help="also run red-green and the project's commands")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help=f"run only this gate; one of {', '.join(GATES)}"
    )
    parser.add_argument("--skip", action="append", metavar="NAME", help="leave this gate out")
    parser.add_argument("--baseline", metavar="FILE", help="findings in this file are known and do not fail")
    parser.add_argument("--write-baseline", metavar="FILE", help="write what fails now to this file")
    parser.add_argument("--format", choices=FORMATS, help="default: text")
