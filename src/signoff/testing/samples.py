"""The bundled sample: a tiny project, a ticket, a demo cassette and one cassette per lie.

Used by the demo and the tests, and for looking at a run without paying for an agent.
"""

import os
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

from signoff.domain.base.typed_ids import CommitId
from signoff.host.git.git_door import Git, find_git

TICKET = "ticket.md"
DEMO = "cassette.json"

_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-01T09:00:00+00:00"}
_LEFTOVERS = ("__pycache__", ".pytest_cache")
"""What an installer or a test run leaves beside the sample."""


def ticket() -> bytes:
    """Return the ticket, in Markdown."""
    return _sample().joinpath(TICKET).read_bytes()


def demo_cassette() -> bytes:
    """Return the cassette of a delivery that ends signed off."""
    return _sample().joinpath(DEMO).read_bytes()


def lie_names() -> tuple[str, ...]:
    """Return the names of the lies, sorted."""
    found = (entry.name for entry in _sample().joinpath("lies").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in found if name.endswith(".json")))


def lie_cassette(name: str) -> bytes:
    """Return the cassette of one lie. No lie may ever be signed off."""
    return _sample().joinpath("lies", f"{name}.json").read_bytes()


def lay_out_sample(folder: str, env: Mapping[str, str]) -> CommitId:
    """Make `folder` the sample project, a git repository with one commit that is the same everywhere.

    `env` needs PATH. The folder is made; what is in it already would become part of the commit.
    """
    root = os.path.abspath(folder)
    os.makedirs(root, exist_ok=True)
    _copy(_sample().joinpath("repo"), root)
    return first_commit(root, env, "A small shop")


def first_commit(root: str, env: Mapping[str, str], message: str, *options: str) -> CommitId:
    """Make `root` a repository with one commit of its files. `options` are for `git add`.

    The author and the time are fixed, so that the id is the same everywhere.
    """
    git = Git(find_git(env), os.path.join(root, ".git"))
    git.run("init", "-q", "--template=", "--initial-branch=main", "--object-format=sha1", cwd=root)
    git.run("add", "--all", *options, work_tree=root)
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _PERSON.items()}
    words = ("-q", "--no-verify", "--allow-empty", f"--message={message}")
    git.run("commit", *words, work_tree=root, env=who)
    return CommitId(git.line("rev-parse", "HEAD"))


def _sample() -> Traversable:
    return files("signoff.testing").joinpath("sample")


def _copy(source: Traversable, folder: str) -> None:
    for entry in source.iterdir():
        place = os.path.join(folder, entry.name)
        if entry.is_dir() and entry.name not in _LEFTOVERS:
            os.makedirs(place, exist_ok=True)
            _copy(entry, place)
        elif entry.is_file():
            with open(place, "wb") as file:
                file.write(entry.read_bytes())
