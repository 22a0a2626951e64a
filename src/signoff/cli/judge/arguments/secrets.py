"""Look for credentials: in files, in a diff's added lines, or in what is staged.

Knows the formats of the usual providers, private keys, URLs with passwords and .netrc lines. Anything else
has to be assigned to a telling name and look drawn at random. Exit 0 nothing found, 1 found, 2 a file could
not be read. No secret is ever shown: at most its first four characters and its length.

  PATH…      files and folders. A file that is a diff is read as one, - is standard input. Without any: the
             files of the working tree that git has or would take.
  --staged   what the next commit would add.
  --allow F  TOML entries [[allow]] with path or sha256 (of the value), rule if you like, and a reason.

A line that says `signoff: allow-secret REASON` is allowed too, but not without a reason.

examples:
  signoff secrets --staged
  signoff secrets src config/app.toml
  git diff main | signoff secrets - --json
  signoff secrets --allow .secrets-allow.toml
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="*", metavar="DIFF|PATH", help="files, folders, a diff, or -")
    parser.add_argument("--staged", action="store_true", help="scan what is staged")
    parser.add_argument("--allow", metavar="FILE", help="TOML list of known secrets, each with a reason")
