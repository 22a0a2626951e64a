"""List the runs of this repository, or act on one of them.

  list            every run, newest first (the default)
  show RUN        everything known of a run: steps, dispatches, checks, files
  resume RUN      continue it where its journal ends; exits as `signoff run` does
  stop RUN        stop its driver in good order; open work stays open
  handoff RUN     what the next person or agent must know, from the journal
  metrics         five figures on the runs that hosts drove with `signoff work`
  pin RUN DIR     keep it as a regression test for `signoff golden replay`; exit 1: its replay differs
  reset-cap RUN NAME
                  restart the count of a cap (retries, rework, plan_revisions, budget) of a run that has not
                  ended; needs --reason and a person typing at a terminal, anywhere else it exits 3
  replay RUN      fold the journal again and compare the effects; exit 0 identical, 1 not

RUN is an id, the beginning of one, or latest, which is the default.

examples:
  signoff runs
  signoff runs show latest --json
  signoff runs resume 01J9ZQ
  signoff runs handoff latest > handoff.md
  signoff runs pin latest tests/regressions/rate-limit
  signoff runs reset-cap latest rework --reason "the check was wrong, and is fixed now"
"""

import argparse

ACTIONS = ("list", "metrics", "pin", "reset-cap", "show", "resume", "stop", "handoff", "replay")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", nargs="?", default="list", choices=ACTIONS, metavar="ACTION")
    parser.add_argument("run", nargs="?", metavar="RUN", help="an id, the beginning of one, or latest")
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="pin: a new folder; reset-cap: the name of the cap"
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="reset-cap: the reason, for the record")
    parser.add_argument(
        "--by", default="", metavar="NAME", help="reset-cap: who resets it; default: your user name"
    )
