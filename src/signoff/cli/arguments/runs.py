"""List the runs of this repository, or act on one of them.

  list            every run, newest first (also without any word)
  show RUN        everything known of a run: steps, dispatches, checks, files
  resume RUN      take it up where its journal ends; exits as `signoff run` does
  stop RUN        stop its driver in good order; what is open stays open
  handoff RUN     what the next person or agent must know, from the journal
  metrics         five figures on the runs that hosts drove with `signoff work`
  pin RUN DIR     make it a regression test for `signoff golden replay`; exit 1: a replay of it differs
  reset-cap RUN NAME
                  let a cap (retries, rework, plan_revisions, budget) count anew; needs --reason. Only a
                  person typing on a terminal can; anywhere else it exits 3. Not for a run that has ended
  replay RUN      fold the journal again and compare what the flow asks for; exit 0 identical, 1 not

RUN is an id, the beginning of one, or latest, which is also meant where it is left out.

examples:
  signoff runs
  signoff runs show latest --json
  signoff runs resume 01J9ZQ
  signoff runs handoff latest > handoff.md
  signoff runs pin latest tests/regressions/rate-limit
  signoff runs reset-cap latest rework --reason "the check was wrong, and is mended now"
"""

import argparse

ACTIONS = ("list", "metrics", "pin", "reset-cap", "show", "resume", "stop", "handoff", "replay")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", nargs="?", default="list", choices=ACTIONS, metavar="ACTION")
    parser.add_argument("run", nargs="?", metavar="RUN", help="an id, the beginning of one, or latest")
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="for pin: a new folder; for reset-cap: which cap"
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="reset-cap: why; it goes on the record")
    parser.add_argument(
        "--by", default="", metavar="NAME", help="reset-cap: who; the user's name if not given"
    )
