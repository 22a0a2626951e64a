"""Check, show, compile, seal and verify contracts.

  check FILE     every rule, all violations at once. Reads contracts, plan contracts and sprint contracts.
                 Exit 0 valid, 1 invalid, 2 unreadable, changed after it was sealed, or (with --plan) drifted.
  show FILE      the human page. --format json prints it as it is read, --format seed in its own format.
  compile PLAN   a Markdown plan to a contract. Exit 1 with the gaps and their lines.
  verify FILE    run its checks here and now. Exit 0 pass, 1 fail, 5 could not be judged. Writes
                 verification.json and verification.md beside the contract, or into --out.
  seal FILE      record the digest of what it says now, if it keeps every rule. --again after a change.

- is standard input, where FILE or PLAN is only read.

examples:
  signoff contract check contract.json
  signoff contract check .planning/phase-2-contract.json --policy seed --plan .planning/phase-2-plan.md
  signoff contract compile plan.md -o contract.json
  signoff contract compile plan.md -o contract.json --refresh
  signoff contract verify contract.json --task T1 --json
  signoff contract show contract.json > contract.md
"""

import argparse

ACTIONS = ("check", "show", "compile", "verify", "seal")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("file", metavar="FILE", help="the contract; for compile, the plan")
    parser.add_argument("--policy", choices=("seed", "strict"), help="check: strict if not given")
    parser.add_argument("--plan", metavar="PLAN.md", help="check, verify: refuse if the plan changed since")
    parser.add_argument("--format", choices=("md", "json", "seed"), help="show: md if not given")
    parser.add_argument("-o", "--output", metavar="FILE", help="compile: where the contract goes")
    parser.add_argument(
        "--refresh", action="store_true", help="compile: keep what only the contract at -o knows"
    )
    parser.add_argument(
        "--upgrade", action="store_true", help="compile: bring an older contract to this version"
    )
    parser.add_argument("--task", metavar="ID", help="verify: the checks of one task")
    parser.add_argument(
        "--citations", metavar="FILE", help="verify: evidence, [{clause, path, line, snippet}]"
    )
    parser.add_argument("--base", metavar="REV", help="verify: what non-goals are compared with")
    parser.add_argument("--out", metavar="DIR", help="verify: where the results go")
    parser.add_argument("--again", action="store_true", help="seal: also one that was changed since")
