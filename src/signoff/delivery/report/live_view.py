"""The live view of a run as lines: steps, what is under way, what each agent is doing. Pure.

The lines depend on the size of the terminal: a narrow one gets less of each line, a short one gets fewer
lines, and no line is wider than the terminal.
"""

from typing import NamedTuple

from signoff.delivery.context.agent_activity import Doing
from signoff.domain.base.record import Record
from signoff.domain.run.surveys import STEPS
from signoff.text.columns import fit, fit_end, pad, plain, width

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_NARROW = 60
"""Below this many columns figures are left out before words are."""
_SHORTEST_FOR_WORDS = 8
"""With fewer lines than this, what agents last said is not shown."""
_MARGIN = 3
"""Columns left free at the right: a terminal wraps a full line, and shows `^C` where the cursor is."""


class Working(Record, frozen=True, kw_only=True):
    """One effect under way."""

    key: str
    seconds: float
    agent: str = ""
    """The agent that does it, empty for what the engine does itself."""
    doing: Doing | None = None
    """None if the agent does not report what it does."""
    is_pause: bool = False


class Scene(Record, frozen=True, kw_only=True):
    """Everything that the view shows."""

    title: str
    step: str = ""
    """The step that is under way."""
    seconds: float = 0.0
    working: tuple[Working, ...] = ()
    cost_usd: float | None = None
    """Of the dispatches that have ended."""
    tokens: int | None = None
    failures: int = 0
    """Dispatches without a result."""
    stopping: str = ""
    """How the run was asked to stop."""


class LiveLine(NamedTuple):
    """A line and how it is shown."""

    text: str
    is_faint: bool = False


def live_lines(scene: Scene, columns: int, rows: int, turn: int = 0) -> tuple[LiveLine, ...]:
    """Return the view for a terminal of this size. `turn` moves the spinner."""
    most, room = max(1, rows - 1), max(1, columns - _MARGIN)
    spinner = SPINNER[turn % len(SPINNER)]
    blocks = [
        _block(each, spinner, room, with_words=rows >= _SHORTEST_FOR_WORDS)
        for each in sorted(scene.working, key=lambda one: not one.agent)  # agents first
    ]
    head = [LiveLine(_header(scene, room), is_faint=True)]
    steps = _steps(scene.step, room)
    if steps and rows >= _SHORTEST_FOR_WORDS:
        head.append(LiveLine(steps, is_faint=True))
    if most < len(head) + 1 and blocks:
        head = []
    return (*head, *_as_many(blocks, most - len(head), room))


def _as_many(blocks: list[list[LiveLine]], most: int, room: int) -> list[LiveLine]:
    """Return as many of the blocks as there is room for.

    If all fit, they are shown in full. If not, what an agent last said goes first, then whole blocks from
    the end, and a last line counts them.
    """
    if sum(map(len, blocks)) > most:
        blocks = [block[:1] for block in blocks]
    if len(blocks) <= most:
        return [line for block in blocks for line in block]
    if most <= 1:
        return blocks[0][:1] if blocks and most == 1 else []
    shown = [line for block in blocks[: most - 1] for line in block]
    return [*shown, LiveLine(fit(f"  and {len(blocks) - most + 1} more", room), is_faint=True)]


def _header(scene: Scene, room: int) -> str:
    """Return the title with the figures of the run.

    Each figure adds what agents have used so far to what ended dispatches cost, and is left out if unknown.
    """
    figures = [clock(scene.seconds)]
    costs = _added(scene.cost_usd, [each.doing.cost_usd for each in scene.working if each.doing])
    tokens = _added(scene.tokens, [each.doing.tokens for each in scene.working if each.doing])
    if tokens is not None:
        count = int(tokens)
        many = f"{count / 1000:.1f}k" if count < 1_000_000 else f"{count / 1e6:.1f}M"
        figures.append(f"{count if count < 1000 else many} tokens")
    if costs is not None:
        figures.append(f"${costs:.2f}")
    if scene.failures:
        figures.append(f"{scene.failures} failed")
    title = f"{scene.stopping} · {scene.title}" if scene.stopping else scene.title
    return _ends(plain(title), " · ".join(figures), room)


def _added(so_far: float | None, more: "list[float | None] | list[int | None]") -> float | None:
    known = [figure for figure in (so_far, *more) if figure is not None]
    return sum(known) if known else None


def _steps(now: str, room: int) -> str:
    if now not in STEPS:
        return ""
    here = STEPS.index(now)
    marks = ["✓" if place < here else "▸" if place == here else "·" for place in range(len(STEPS))]
    whole = "  ".join(f"{mark} {name}" for mark, name in zip(marks, STEPS, strict=True))
    return whole if width(whole) <= room else fit(f"▸ {now} ({here + 1} of {len(STEPS)})", room)


def _block(working: Working, spinner: str, room: int, *, with_words: bool) -> list[LiveLine]:
    """Return the lines of one effect: what it is and does, and below it what its agent last said.

    In a narrow terminal the figures and the agent's name are left out, and at half of that its words too.
    """
    doing = working.doing
    figures = [clock(working.seconds)]
    if doing is not None and room >= _NARROW:
        if doing.tool_calls:
            figures.insert(0, f"{doing.tool_calls} tool call{'s' if doing.tool_calls != 1 else ''}")
        if doing.retries:
            figures.insert(0, f"{doing.retries} retr{'ies' if doing.retries != 1 else 'y'}")
    mark = "‖" if working.is_pause else spinner
    name = label(working.key)
    who = f"  {plain(working.agent)}" if working.agent and room >= _NARROW else ""
    left = f"{mark} {pad(name, max(width(name), 14)) if room >= _NARROW else name}{who}"
    lines = [LiveLine(_ends(f"{left}  {_now(working)}".rstrip(), " · ".join(figures), room))]
    if with_words and doing is not None and doing.words and room >= _NARROW // 2:
        lines.append(LiveLine(f"    {fit_end(plain(doing.words), room - 4)}", is_faint=True))
    return lines


def _now(working: Working) -> str:
    if working.is_pause:
        return "waits before the next try"
    doing = working.doing
    if doing is None:
        return "works" if working.agent else ""
    if doing.finished:
        return "is done"
    if not doing.tool:
        return "thinks"
    return plain(f"{doing.tool} {doing.about}")


def _ends(left: str, right: str, room: int) -> str:
    """Return a line with one text at each end. The right one is cut only if there is no room at all."""
    space = room - width(right) - 2
    if space < room // 3:
        return fit(left, room)
    return f"{pad(left, space)}  {right}"


def label(key: str) -> str:
    """Return the name of an effect for people: `implement/T1/attempt-2/dispatch-1` is `T1 attempt 2`."""
    parts = plain(key).split("/")
    if len(parts) > 1 and parts[0] == "implement":
        parts = parts[1:]
    if parts[-1] == "pause":
        parts = parts[:-1]
    words: list[str] = []
    for part in parts:
        name, _, number = part.rpartition("-")
        if name in ("attempt", "dispatch", "round") and number.isdigit():
            if number != "1":
                words.append(f"{'turn' if name == 'dispatch' else name} {number}")
        else:
            words.append(part)
    return " ".join(words)


def clock(seconds: float) -> str:
    """Return a duration in the form of a clock."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def heartbeat(working: Working) -> str:
    """Return one line for a log on an effect that is still under way."""
    said = [f"still working after {clock(working.seconds)}"]
    doing = working.doing
    if doing is not None:
        said.append(f"{doing.tool_calls} tool call{'s' if doing.tool_calls != 1 else ''}")
        if doing.tool:
            said.append(f"now {fit(plain(f'{doing.tool} {doing.about}'), 80)}")
    return f"… {plain(working.key)}: {', '.join(said)}"
