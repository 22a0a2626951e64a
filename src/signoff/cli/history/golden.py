"""The action of `signoff golden`."""

from collections.abc import Sequence

from signoff.cli.shared.command import Options, Output
from signoff.domain.run.golden import Difference
from signoff.golden.play import pinned_runs
from signoff.golden.play.pack_replay import ScenarioJudged, capture, replay, verify
from signoff.testing.hosted.live import live_stage
from signoff.testing.hosted.recorded import RecordedStage
from signoff.testing.hosted.scenario_folder import DiskShelf
from signoff.testing.rehearsal import rehearsal

_MOST_SHOWN = 40


def run(options: Options, say: Output) -> int:
    """Capture, replay or verify."""
    shelf = DiskShelf(options.folder)
    ids = tuple(options.ids)
    if pinned_runs.is_delivery(shelf):
        judged = _delivered(options.action, shelf, ids)
    else:
        judged = _hosted(options.action, shelf, ids)
    say.result({"scenarios": judged}, _text(options.action, judged))
    return 0 if all(one.ok for one in judged) else 1


def _delivered(action: str, shelf: DiskShelf, ids: tuple[str, ...]) -> tuple[ScenarioJudged, ...]:
    match action:
        case "capture":
            return pinned_runs.accept(shelf, ids, rehearsal)
        case "replay":
            return pinned_runs.replay(shelf, ids, rehearsal)
        case _:
            return pinned_runs.verify(shelf)


def _hosted(action: str, shelf: DiskShelf, ids: tuple[str, ...]) -> tuple[ScenarioJudged, ...]:
    match action:
        case "capture":
            return capture(shelf, ids, live_stage)
        case "replay":
            return replay(shelf, ids, RecordedStage)
        case _:
            return verify(shelf)


def _text(action: str, judged: tuple[ScenarioJudged, ...]) -> str:
    differences = [difference for one in judged for difference in one.differences]
    lines = difference_lines(differences)
    done = {"capture": "captured", "replay": "replayed", "verify": "verified"}[action]
    return "\n".join((*lines, f"{len(judged)} {done}, {len(differences)} differences"))


def difference_lines(differences: Sequence[Difference]) -> list[str]:
    """Return the first differences as lines, and how many more there are."""
    lines = [_line(difference) for difference in differences[:_MOST_SHOWN]]
    if len(differences) > _MOST_SHOWN:
        lines.append(f"and {len(differences) - _MOST_SHOWN} more")
    return lines


def _line(difference: Difference) -> str:
    where = f"{difference.scenario or 'the set'}"
    cycle = f" cycle {difference.cycle}" if difference.cycle else ""
    return f"{where}{cycle} {difference.pointer or '/'}: {difference.before} → {difference.after}"
