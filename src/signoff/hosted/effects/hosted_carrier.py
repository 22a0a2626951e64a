"""Perform what a hosted run asks of the engine: recall memory, look at the files, run the tests."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from signoff.domain.run.effects import Analyze, LookAtWork, RecallMemory, RunCheck
from signoff.domain.run.outcomes import Analyzed, WorkSeen
from signoff.domain.work.check_kinds import Examiner, examiner_of
from signoff.domain.work.checks import ProtectedPaths
from signoff.hosted.flow.hosted_view import HostedView
from signoff.text.truncation import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.domain.ports import CheckRunner, CheckSeen, RunFolder
    from signoff.domain.run.check_orders import CheckOrder
    from signoff.domain.run.directives import Facts
    from signoff.domain.run.effects import Effect
    from signoff.domain.run.outcomes import Checked, Outcome
    from signoff.engine.run.kit import HostedKit
    from signoff.engine.run_state import OpenIntent, State

_MOST_PROBLEMS = 8
_MOST_MISSING = 20
_LONGEST_PATH = 120
"""Bytes of each path. Records stay under 4 KB."""


class HostedCarrier:
    """Performs the effects of one hosted run, one after the other."""

    def __init__(self, kit: HostedKit, folder: RunFolder, state: Callable[[], State]) -> None:
        self._kit = kit
        self._folder = folder
        self._state = state

    @property
    def _view(self) -> HostedView:
        return HostedView(self._state(), self._folder.blobs.get)

    def perform(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Perform the effect. Return None if the run was asked to stop meanwhile."""
        del intent
        match effect:
            case RecallMemory():
                return self._recall()
            case Analyze():
                return self._analyze()
            case LookAtWork():
                return self._look(effect)
            case RunCheck(check=ProtectedPaths()):
                return self._check_not_weakened(effect)
            case RunCheck():
                return self._examine(effect, lambda checks, order: checks.run(order))
            case _:
                raise AssertionError(f"{effect.key} is no effect of a hosted run")

    def recover(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Adopt a test run that had finished when its driver died. Every other effect is done again."""
        del intent
        if not isinstance(effect, RunCheck) or examiner_of(effect.check) is not Examiner.RUNNER:
            return None
        if not self._kit.checks().was_started(self._order(effect, "")):
            return None
        return self._examine(effect, lambda checks, order: checks.recover(order))

    def stop(self) -> None:
        """Nothing runs beside the loop."""

    def _recall(self) -> Outcome:
        from signoff.memory.memory_lookup import look_up

        return look_up(self._kit.memory, self._folder.blobs, self._view.want.ticket)

    def _analyze(self) -> Analyzed:
        from signoff.project.detection.stack_detection import detect

        place, base = self._kit.place, self._view.start.base_tree
        facts = detect(place.paths(base), lambda path: place.read(base, path), self._view.settings.checks)
        return Analyzed(facts=self._folder.blobs.put(msgspec.json.encode(facts)))

    def _look(self, effect: LookAtWork) -> WorkSeen:
        sight = self._kit.place.look(effect.base, effect.exchanged)
        if sight.tree is None:
            missing = self._kit.place.missing(effect.paths)[:_MOST_MISSING]
            return WorkSeen(missing=tuple(short(path, _LONGEST_PATH) for path in missing))
        return WorkSeen(
            tree=sight.tree,
            changes=self._folder.blobs.put(msgspec.json.encode(sight.changes)),
            files=len(sight.changes),
            problems=tuple(
                replace(problem, path=short(problem.path, _LONGEST_PATH))
                for problem in sight.problems[:_MOST_PROBLEMS]
            ),
        )

    def _examine(
        self, effect: RunCheck, ask: Callable[[CheckRunner, CheckOrder], CheckSeen | None]
    ) -> Checked | None:
        from signoff.engine.run.receipt_files import keep_receipt

        with self._kit.place.standing(effect.tree, self._view.settings.checks.carry) as folder:
            seen = ask(self._kit.checks(), self._order(effect, folder))
        return None if seen is None else keep_receipt(self._folder, seen, is_replay=False)

    def _check_not_weakened(self, effect: RunCheck) -> Checked:
        """Compare what the work is judged by with the base. No program is run."""
        from signoff.domain.ports import CheckSeen
        from signoff.engine.run.receipt_files import compared, keep_receipt
        from signoff.hosted.effects.weakened_checks import judge_weakening

        view = self._view
        assert view.seen is not None
        found = judge_weakening(
            self._kit.place,
            effect.base,
            effect.tree,
            view.changes(view.seen),
            view.settings.checks,
            self._facts(),
            self._kit.test_readers(),
        )
        receipt = compared(effect, found.findings, self._kit.clock.now(), unread=found.unread)
        return keep_receipt(self._folder, CheckSeen(receipt), is_replay=False)

    def _facts(self) -> Facts:
        from signoff.domain.run.directives import Facts
        from signoff.hosted.flow.hosted_view import DETECT

        detected = self._state().done[DETECT]
        assert isinstance(detected, Analyzed)
        return self._view.body(detected.facts, Facts)

    def _order(self, effect: RunCheck, folder: str) -> CheckOrder:
        from signoff.engine.run.receipt_files import check_order

        return check_order(self._folder, effect, self._view.settings, self._facts().commands["test"], folder)
