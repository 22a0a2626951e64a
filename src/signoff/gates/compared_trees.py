"""What the gates need of a change: two trees that can be read, mixed and laid out.

`host.places.change_trees` implements it.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from signoff.domain.base.typed_ids import ClauseId, EffectKey, TreeId
from signoff.domain.base.violations import Severity
from signoff.domain.ports import CheckRunner, CheckSeen, Clock
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.directives import Facts
from signoff.domain.work.checks import Check, Place
from signoff.domain.work.settings import Settings
from signoff.judges.scope.non_goal_check import ComparedTrees
from signoff.project.detection.stack_detection import detect
from signoff.project.settings.settings_reader import read_settings


class ChangeTrees(ComparedTrees, Protocol):
    """The base and the result of a change."""

    root: str
    base: TreeId
    final: TreeId
    base_id: str
    base_name: str
    problems: tuple[str, ...]
    """Why the final tree is not the whole truth."""
    logs: str

    def read_many(self, tree: TreeId, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of those of the paths that are files of the tree."""
        ...

    def paths(self, tree: TreeId) -> list[str]:
        """List the files of a tree."""
        ...

    def exact_diff(self) -> str:
        """Return the unified diff from base to final, renames recognised, odd bytes as surrogates."""
        ...

    def overlay(self, base: TreeId, source: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return `base` with these paths taken from `source`."""
        ...

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Lay the tree out in a throwaway folder."""
        ...


class GateRunner(NamedTuple):
    """What runs the commands of a gate."""

    checks: CheckRunner
    clock: Clock


OpenRunner = Callable[[], GateRunner]
"""Builds them when the first gate needs them. Most gates run nothing."""


class ProtectedSettings(NamedTuple):
    """Settings and commands by which a project is judged, read from one of its trees."""

    settings: Settings | None
    facts: Facts | None
    problem: str = ""
    """Why there are no settings."""

    def order(
        self, trees: ChangeTrees, key: EffectKey, clause: ClauseId, check: Check, place: Place, tree: TreeId
    ) -> CheckOrder:
        """Return the order to run a check of this project on a tree, in its root unless it is laid out."""
        settings = self.settings or Settings()
        return CheckOrder(
            key=key,
            clause=clause,
            check=check,
            place=place,
            tree=tree,
            contract=None,
            folder=trees.root,
            # No key holds a percent sign, so two checks never share a file name.
            logs=f"{trees.logs}/{place}%{key.replace('/', '%')}",
            timeout_s=settings.checks.timeout_s,
            test_command=self.facts.commands.get("test", ()) if self.facts else (),
            test_report=settings.checks.test_report,
            sandbox=settings.sandbox,
        )

    def run(self, trees: ChangeTrees, runner: GateRunner, order: CheckOrder) -> CheckSeen:
        """Run a check on its tree, laid out with the dependency folders that the settings name."""
        carry = self.settings.checks.carry if self.settings else ()
        with trees.materialise(order.tree, carry) as folder:
            seen = runner.checks.run(replace(order, folder=folder))
        if seen is None:  # stopped from outside
            raise KeyboardInterrupt
        return seen


def protected_settings(trees: ChangeTrees, tree: TreeId) -> ProtectedSettings:
    """Read settings and commands of a tree. An unusable settings file never means the defaults."""
    files = trees.read_many(tree, ("signoff.toml", "pyproject.toml"))
    found = read_settings(files.get("signoff.toml"), files.get("pyproject.toml"))
    if found.settings is None:
        wrong = next((v.message for v in found.violations if v.severity is Severity.ERROR), "unreadable")
        return ProtectedSettings(None, None, f"the settings of the base cannot be used: {wrong}")
    paths = frozenset(trees.paths(tree))
    facts = detect(paths, lambda path: trees.read(tree, path), found.settings.checks)
    return ProtectedSettings(found.settings, facts)
