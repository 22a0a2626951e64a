"""Which branches a word may name, and which of them are protected. Pure; used by the rules for git."""

from collections import namedtuple

from signoff.core.guards.shell_parts import HOLE

PROTECTED = ("main", "master")
OWNER = "owner"
CURRENT = ("HEAD", "@")


class Situation(namedtuple("Situation", ("branches", "is_owner", "protected"))):
    """Where and for whom a command would run."""

    __slots__ = ()
    branches: tuple[str | None, ...]
    """The branches that may be checked out by then; None is one that is not known."""
    is_owner: bool
    protected: tuple[str, ...]

    @property
    def current_protected(self) -> str | None:
        """The protected branch that may be checked out; None if there is none."""
        return next((name for name in self.branches if name in self.protected), None)

    @property
    def is_branch_unknown(self) -> bool:
        """Whether nobody can say what is checked out."""
        return None in self.branches

    def meant(self, ref: str) -> str | None:
        """Give the protected branch that a name, pattern or name with a hole may mean; None if there is none.

        The current branch is not looked up here: see `CURRENT`.
        """
        for name in self.protected:
            for spelled in (name, f"heads/{name}", f"refs/heads/{name}"):
                if may_be(ref, spelled):
                    return name
        return None


def may_be(pattern: str, name: str) -> bool:
    """Say whether a pattern with holes and wildcards may come to be this name."""
    if not any(mark in pattern for mark in (HOLE, "*", "?", "[")):
        return pattern == name
    # One pass per character of the pattern over the places of the name that it may have reached.
    places = {0}
    at = 0
    while at < len(pattern) and places:
        char = pattern[at]
        if char in (HOLE, "*"):
            places = set(range(min(places), len(name) + 1))
        elif char == "[" and "]" in pattern[at + 2 : at + 66]:
            end = pattern.index("]", at + 2)
            inside = pattern[at + 1 : end]
            places = {p + 1 for p in places if p < len(name) and _in_brackets(inside, name[p])}
            at = end
        else:
            places = {p + 1 for p in places if p < len(name) and char in ("?", name[p])}
        at += 1
    return len(name) in places


def _in_brackets(inside: str, char: str) -> bool:
    """Say whether a bracket expression takes the character; a class such as `[:alpha:]` takes any."""
    if "[:" in inside:
        return True
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    taken = char in body
    for at in range(1, len(body) - 1):
        taken |= body[at] == "-" and body[at - 1] <= char <= body[at + 1]
    return taken != negated
