"""Make a git repository of unpacked releases, a commit for each: real befores and afters without a clone.

    python -m bench.releases FOLDER REPO

FOLDER holds one folder for each release, named by its version (`1.9.0`, `1.10.0`, …); they are committed in
the order of their numbers. A release that is one folder with everything in it, as archives unpack to
(`pkg-1.9.0/…`, `package/…`), is taken from inside that folder. Packing metadata (`PKG-INFO`, `*.egg-info`)
is left out: it is made by tools and changes with every release.

Releases come from package managers: `pip download --no-deps --no-binary :all: NAME==VERSION`,
`npm pack NAME@VERSION`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence

_IDENTITY = ("-c", "user.name=releases", "-c", "user.email=releases@localhost", "-c", "commit.gpgSign=false")
_ENV = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
_WHEN = "2001-01-01T00:00:00Z"
"""Fixed, so that the same releases give the same commit ids, and a finding can be named by them."""


def in_order(names: Sequence[str]) -> list[str]:
    """Sort versions by their numbers: 1.10 after 1.9, 2.0rc1 before 2.0."""
    return sorted(names, key=_key)


def _key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = [
        (1, int(part), "") if part.isdigit() else (-1, 0, part) for part in re.findall(r"\d+|[a-z]+", name)
    ]
    # The end of a version comes after letters (rc1) and before further numbers.
    return [*parts, (0, 0, "")], name


def contents(release: str) -> str:
    """Give the folder that holds the files of a release."""
    inside = sorted(os.listdir(release))
    only = os.path.join(release, inside[0]) if len(inside) == 1 else release
    return only if os.path.isdir(only) and not os.path.islink(only) else release


def build(folder: str, repo: str) -> int:
    """Make the repository; give the number of releases in it."""
    versions = in_order([name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))])
    os.makedirs(repo)
    _git(repo, "init", "--quiet", "--initial-branch=main", "--template=")
    for version in versions:
        _lay_out(contents(os.path.join(folder, version)), repo)
        # --force: a release holds what its own .gitignore names, and its files are all that there is.
        _git(repo, "add", "--all", "--force", ".")
        _git(repo, *_IDENTITY, "commit", "--quiet", "--allow-empty", "--message", version)
    return len(versions)


def _lay_out(source: str, repo: str) -> None:
    for name in os.listdir(repo):
        path = os.path.join(repo, name)
        if name == ".git":
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    packing = shutil.ignore_patterns(".git", "PKG-INFO", "*.egg-info")
    shutil.copytree(source, repo, symlinks=True, ignore=packing, dirs_exist_ok=True)


def _git(repo: str, *args: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    dates = {"GIT_AUTHOR_DATE": _WHEN, "GIT_COMMITTER_DATE": _WHEN}
    command = ("git", "-c", "core.autocrlf=false", "-c", "gc.auto=0", *args)
    subprocess.run(command, cwd=repo, env={**kept, **_ENV, **dates}, check=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make it, and say how many."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.releases", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", metavar="FOLDER", help="one folder for each release, named by its version")
    parser.add_argument("repo", metavar="REPO", help="where the repository is made; must not exist")
    options = parser.parse_args(arguments)
    if os.path.exists(options.repo):
        print(f"{options.repo} is there already", file=sys.stderr)
        return 2
    print(f"{options.repo}: {build(options.folder, options.repo)} releases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
