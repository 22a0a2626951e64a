"""A stage with real files, real git and real test runs, in a folder that is thrown away.

Everything that a later replay must know about the outside world goes through here and is noted.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from signoff.domain.base.errors import ConfigError
from signoff.domain.machine.sandbox_records import SandboxOffer
from signoff.domain.ports import CheckRunner, CheckSeen
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.golden import Observations, Scenario, SeenFiles, SeenTests
from signoff.engine.run.kit import HostedKit, Kit
from signoff.golden.play.playback import ROOT
from signoff.host.git.quick_git import top_of_repository
from signoff.testing.hosted.fixed_ports import NumberedIds, SteppingClock, whole_kit
from signoff.testing.hosted.recorded import place_of_tests
from signoff.testing.samples import first_commit
from signoff.wiring import build_hosted, scrubbed_environment


@contextmanager
def live_stage(scenario: Scenario) -> Iterator["LiveStage"]:
    """Lay out a scenario's project, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="signoff-golden-", ignore_cleanup_errors=True) as folder:
        root = os.path.join(os.path.realpath(folder), "project")
        os.mkdir(root)
        stage = LiveStage(root, scenario)
        stage.lay_out()
        yield stage


class LiveStage:
    """One project on disk."""

    def __init__(self, root: str, scenario: Scenario) -> None:
        self._root = root
        self._scenario = scenario
        self._clock = SteppingClock()
        self._ids = NumberedIds()
        self._cycle = 0
        self._seen = Observations()

    def lay_out(self) -> None:
        """Write the files, and commit them where the scenario has a repository."""
        self.edit(self._scenario.files)
        if not self._scenario.git:
            self._must_be_outside()
            return
        first_commit(self._root, scrubbed_environment(), "Base", "--force")
        pinned = self._hosted().place.pin()
        self._seen = replace(self._seen, commit=pinned.commit, tree=pinned.tree)

    def _must_be_outside(self) -> None:
        """Refuse to play inside a repository if the scenario is about a folder outside of one."""
        if (top := top_of_repository(self._root)) is not None:
            raise ConfigError(
                f"{self._scenario.id} must be played outside of a repository",
                slug="golden-inside-repository",
                why=f"temporary files lie in {top}, which has a .git",
                fix="set TMPDIR to a folder that is in no repository",
            )

    def enter(self, cycle: int) -> None:
        """Note the state of the files, whether or not the engine will look."""
        self._cycle = cycle
        if self._scenario.git:
            sight = self._hosted().place.look(self._seen.tree, self._scenario.state_file)
            found = SeenFiles(cycle=cycle, tree=sight.tree, changes=sight.changes, problems=sight.problems)
            self._seen = replace(self._seen, files=(*self._seen.files, found))

    def kit(self) -> Kit:
        """Return the ports, built anew."""
        hosted = self._hosted()
        return whole_kit(replace(hosted, checks=lambda: _Noting(hosted.checks(), self)))

    def edit(self, files: Mapping[str, str | None]) -> None:
        """Write files of the project, or remove those with None as text."""
        for path, text in files.items():
            place = os.path.join(self._root, path)
            if text is None:
                with suppress(FileNotFoundError):
                    os.unlink(place)
                continue
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8", newline="") as file:
                file.write(text)

    def observations(self) -> Observations:
        """Return what was noted."""
        return self._seen

    def note(self, order: CheckOrder, seen: CheckSeen) -> None:
        """Note one run of the tests."""
        found = seen.receipt.observation
        noted = SeenTests(
            at=place_of_tests(order.tree, self._cycle),
            result=found.result,
            failure_reason=found.failure_reason,
            detail=found.detail.replace(order.folder, ROOT).replace(self._root, ROOT),
            exit_code=found.exit_code,
            counts=found.counts,
        )
        if all(one.at != noted.at for one in self._seen.tests):
            self._seen = replace(self._seen, tests=(*self._seen.tests, noted))

    def _hosted(self) -> HostedKit:
        return replace(build_hosted(self._root), clock=self._clock, ids=self._ids)


class _Noting:
    """A `CheckRunner` that runs checks for real and notes their results."""

    def __init__(self, checks: CheckRunner, stage: LiveStage) -> None:
        self._checks = checks
        self._stage = stage

    def run(self, order: CheckOrder) -> CheckSeen | None:
        """Run the check and note its result."""
        seen = self._checks.run(order)
        if seen is not None:
            self._stage.note(order, seen)
        return seen

    def offer(self) -> SandboxOffer:
        """Ask the runner."""
        return self._checks.offer()

    def was_started(self, order: CheckOrder) -> bool:
        """Ask the runner."""
        return self._checks.was_started(order)

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Ask the runner."""
        return self._checks.recover(order)
