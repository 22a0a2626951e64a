"""Begin a hosted run: from an input, from a state file that has no run yet, or again after a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from signoff.domain.base.errors import ConflictError, UsageError
from signoff.domain.base.typed_ids import RunId
from signoff.domain.run.events import WORK_EVENT_TYPES, Driver, RunStart
from signoff.domain.run.surveys import WORK
from signoff.domain.work.refinement import RouteSource
from signoff.domain.work.settings import Settings
from signoff.domain.work.work_state import Persona, WorkInput
from signoff.engine.run.confinement_check import refuse_below_minimum
from signoff.engine.run.run_log import begin_log, live_stamp
from signoff.hosted.flow.hosted_view import SETS
from signoff.text.redaction import redact

if TYPE_CHECKING:
    from signoff.domain.ports import PinnedBase, RunFolder
    from signoff.domain.work.refinement import Route
    from signoff.domain.work.work_state import DirectiveSet
    from signoff.engine.run.kit import HostedKit
    from signoff.engine.run_state import State


def begin(
    kit: HostedKit,
    given: WorkInput,
    state_file: str,
    persona: str | None,
    chosen: DirectiveSet | None = None,
    after: State | None = None,
    *,
    adopted: bool = False,
) -> RunFolder:
    """Create a run and write its first two records: everything it is pinned to. Nothing runs yet."""
    base = kit.place.pin()
    settings = _settings_of(base)
    refuse_below_minimum(settings.sandbox, kit.checks)
    who = _persona(persona, settings)
    folder = kit.store.create(RunId(kit.ids.new()))
    put = folder.blobs.put
    start = RunStart(
        flow=WORK,
        driver=Driver.HOSTED,
        agent="host",
        base=base.commit,
        base_tree=base.tree,
        ticket=put(kept(given)),
        settings=put(msgspec.json.encode(settings)),
        engine_version=kit.engine_version,
        persona=who,
        parent=after.run_id if after else None,
        parent_head=after.head if after else "",
        route=put(msgspec.json.encode(_route(given, chosen))),
        adopted=adopted,
        exchanged=state_file,
    )
    with folder.writer() as journal:
        begin_log(journal, live_stamp(kit.clock), folder.run_id, WORK_EVENT_TYPES, start)
    return kit.store.reveal(folder.run_id)


def kept(given: WorkInput) -> bytes:
    """Encode an input as its run keeps it: what looks like a credential is removed."""
    return redact(msgspec.json.encode(given))


def is_same(given: WorkInput, other: WorkInput) -> bool:
    """Check whether two inputs ask for the same, compared as runs keep them, without credentials."""
    first, second = (msgspec.json.decode(kept(each), type=WorkInput) for each in (given, other))
    return first == second


def _route(given: WorkInput, chosen: DirectiveSet | None) -> Route:
    """Decide which steps the work takes, once for all cycles."""
    from signoff.intake.refinement.envelopes import read_input
    from signoff.intake.refinement.route import classify

    route = classify(read_input(given.kind, given.data))
    if chosen is None or chosen is route.directive_set:
        return route
    return replace(route, intent=SETS[chosen], directive_set=chosen, source=RouteSource.OVERRIDE)


def _persona(asked: str | None, settings: Settings) -> Persona:
    if asked is None:
        return settings.hosted.persona
    try:
        return Persona(asked)
    except ValueError:
        raise UsageError(
            f"there is no persona {asked!r}",
            slug="persona-unknown",
            why=f"known: {', '.join(Persona)}",
            fix="leave --persona out for the one of the settings",
        ) from None


def refuse_other_persona(asked: str | None, state: State, settings: Settings) -> None:
    """Raise if a run that goes on is asked to take another persona."""
    assert state.start is not None
    if asked is not None and _persona(asked, settings) != state.start.persona:
        raise ConflictError(
            f"the run is driven as {state.start.persona}",
            slug="persona-conflict",
            why="a persona is chosen when a run begins",
            fix="leave --persona out, or start another run with another --state-file",
        )


def _settings_of(base: PinnedBase) -> Settings:
    """Read the settings a run is pinned to. A mistake in them is an error."""
    if base.signoff_toml is None and (base.pyproject is None or b"tool.signoff" not in base.pyproject):
        return Settings()
    from signoff.project.settings.repository_setup import usable_settings

    return usable_settings(base.signoff_toml, base.pyproject, "the settings")[0]
