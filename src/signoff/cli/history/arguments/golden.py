"""Use recorded runs as regression tests: transcripts of hosts, and deliveries pinned with `signoff runs pin`.

A pinned delivery is a folder with delivery.json, or a folder of such folders. `replay` plays its recording in
a throwaway repository and compares how it ends: outcome, standings, final tree, every effect. `capture`
records the end of a replay as the expected one.

For what `signoff work` answered to scripted hosts, DIR holds scenarios/ID.json: a small project, an input,
and what the host does after each cycle. `capture` plays them with real git and real test runs, and writes
packs/. `replay` plays them again from what was observed then, without git and test runs. It names every
difference in exit codes, halts, directives, outcomes, scores or standings. Words may change.

`verify` compares checksums and runs nothing. Exit 1: there are differences. Exit 2: a file cannot be read.

examples:
  signoff golden capture tests/golden/hosted
  signoff golden replay tests/golden/hosted
  signoff golden replay tests/golden/hosted happy-ticket --json
  signoff golden verify tests/golden/hosted
  signoff golden replay tests/golden/deliveries
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=("capture", "replay", "verify"), help="what to do")
    parser.add_argument("folder", metavar="DIR", help="holds scenarios/ and packs/, or pinned deliveries")
    parser.add_argument("ids", metavar="ID", nargs="*", help="scenarios or packs; default: all")
