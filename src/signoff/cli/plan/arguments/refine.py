"""Check a ticket or prompt before any work starts: is it a task, clear, and safe, and which steps do it?

Deterministic and offline. Name one file; - is standard input:

  --ticket-file F   a ticket, JSON as trackers export it or Markdown
  --prompt-file F   free text
  --diff-file F     a diff
  --file-file F     a file whose first line is a path
  --input F         an envelope {"kind": ..., "data": {...}} as in a state file, so that a prompt can carry
                    `reconstructed_ac`, `assumptions` and `confidence_confirmed`

Exit 0 success, 1 partial or blocked, 2 when the input cannot be read.

examples:
  signoff refine --ticket-file ticket.md
  signoff refine --input envelope.json --json
  gh issue view 12 --json number,title,body,labels | signoff refine --ticket-file -
"""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--ticket-file", metavar="FILE", help="a ticket, JSON or Markdown; - is standard input"
    )
    parser.add_argument("--prompt-file", metavar="FILE", help="free text")
    parser.add_argument("--diff-file", metavar="FILE", help="a diff")
    parser.add_argument("--file-file", metavar="FILE", help="a file whose first line is a path")
    parser.add_argument("--input", metavar="FILE", help='an envelope: {"kind", "data"}')
