"""Check a spec, answer its questions, bring older ones up to date.

  check FILE        shape and cross-field rules, in snake_case or camelCase. Exit 0 valid, 1 invalid, 2
                    unreadable. --replan-of OLD: it must cite the answers that were given to OLD.
  answer ID [QUESTION] [ANSWER]
                    resolve open questions. On a terminal, without ANSWER, it asks them one by one;
                    elsewhere it exits 3. --file takes {"Q1": "answer", ...}.
  migrate FILE...   rewrite older shapes; what is in shape already is not touched.
  show FILE         the document in our spelling; --format seed gives it in camelCase.

ID is a file, or the id of a spec in .signoff/specs or .bober/specs. The last answer makes a spec ready, or
due for a re-plan while it has no features.

examples:
  signoff spec check .signoff/specs/checkout.json
  signoff spec answer checkout
  signoff spec answer checkout Q1 "Only signed-in customers"
  signoff spec answer checkout --file answers.json --json
  signoff spec migrate .bober/specs/*.json
"""

import argparse

ACTIONS = ("check", "answer", "migrate", "show")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("words", nargs="+", metavar="WORD", help="FILE, ID [QUESTION] [ANSWER], or FILE...")
    parser.add_argument("--replan-of", metavar="OLD", help="check: the spec this one is a re-plan of")
    parser.add_argument("--file", metavar="FILE", help="answer: a file of answers; - is standard input")
    parser.add_argument(
        "--by",
        choices=("user", "planner"),
        help="answer: user if not given; a planner needs --evidence",
    )
    parser.add_argument("--format", choices=("json", "seed"), help="show: json if not given")
    parser.add_argument("--evidence", metavar="TEXT", help="answer: where in the code the planner found it")
