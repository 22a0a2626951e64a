"""Compare what an engine does now with a pack: control surfaces exactly, words by their kind. Pure.

Exit codes, actions, codes of halts, who is awaited, directives with their payload, outcomes, scores and
standings must be what they were. Words for people may change: a line of a question must stay a line of its
kind, a section of the report must still say something.
"""

import re
from collections.abc import Iterator

from signoff.domain.run.golden import Difference, HaltMarker, Pack, RecordedCycle
from signoff.golden.records.report_outline import compare_reports
from signoff.golden.records.state_comparison import Moved, compare_fields, compare_snapshots

_DIRECTIVE = "@agent-directive:"
_NUMBERED = re.compile(r"> (\d+)\. ")
_HALT_FIELDS = (
    *("exit_code", "code", "kind", "step", "outcome", "directive", "payload", "asks_about", "awaits"),
    "terminal_only",
)


def compare(before: Pack, after: Pack) -> tuple[Difference, ...]:
    """Return every difference that counts, in the order in which a reader meets them."""
    return tuple(_differences(before, after))


def _differences(before: Pack, after: Pack) -> Iterator[Difference]:
    name = before.scenario.id
    then, now = before.transcript, after.transcript
    if then.final_outcome != now.final_outcome:
        yield _difference(name, 0, Moved("/final_outcome", then.final_outcome, now.final_outcome))
    if len(then.cycles) != len(now.cycles):
        yield _difference(name, 0, Moved("/cycles", str(len(then.cycles)), str(len(now.cycles))))
    old_halts, new_halts = ({halt.cycle: halt for halt in pack.halts} for pack in (before, after))
    for old, new in zip(then.cycles, now.cycles, strict=False):
        n = old.index
        found = (
            *_calls(old, new),
            *_halts(old_halts.get(n), new_halts.get(n)),
            *(
                moved._replace(pointer="/state" + moved.pointer)
                for moved in compare_snapshots(before.snapshots[n - 1], after.snapshots[n - 1])
            ),
        )
        yield from (_difference(name, n, moved) for moved in found)
    yield from (_difference(name, 0, moved) for moved in compare_reports(before.report, after.report))


def _difference(name: str, cycle: int, moved: Moved) -> Difference:
    return Difference(
        scenario=name, cycle=cycle, pointer=moved.pointer, before=moved.before, after=moved.after
    )


def _calls(old: RecordedCycle, new: RecordedCycle) -> Iterator[Moved]:
    yield from compare_fields(old, new, ("words", "exit_code", "directive", "action"), "")
    for pointer, then, now in (
        ("/stdout", _presence(old.stdout), _presence(new.stdout)),
        ("/stderr", _presence(old.stderr), _presence(new.stderr)),
        ("/stdout", _control_lines(old.stdout), _control_lines(new.stdout)),
    ):
        if then != now:
            yield Moved(pointer, then, now)


def _presence(text: str) -> str:
    return "something" if text.strip() else "nothing"


def _control_lines(text: str) -> str:
    """Return the lines that hosts parse: that of a halt, and every line that looks like a directive."""
    lines = text.splitlines()
    found = [line for line in lines[:1] if line.startswith("[halt]")]
    found += [line for line in lines if line.startswith(_DIRECTIVE)]
    return " / ".join(found) or "no line to parse"


def _halts(old: HaltMarker | None, new: HaltMarker | None) -> Iterator[Moved]:
    if old is None or new is None:
        if old is not new:
            yield Moved("/halt", old.code if old else "no halt", new.code if new else "no halt")
        return
    yield from compare_fields(old, new, _HALT_FIELDS, "/halt")
    yield from compare_questions(old.questions, new.questions)


def compare_questions(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Moved]:
    """Compare the lines of a question by their number and their kind."""
    if len(old) != len(new):
        yield Moved("/halt/questions", f"{len(old)} lines", f"{len(new)} lines")
    for number, (then, now) in enumerate(zip(old, new, strict=False)):
        if (before := line_class(then)) != (after := line_class(now)):
            yield Moved(f"/halt/questions/{number}", before, after)


def line_class(line: str) -> str:
    """Return the kind of a line: a directive is itself, an option is its number."""
    if line.startswith(_DIRECTIVE):
        return line
    if match := _NUMBERED.match(line):
        return f"numbered {match[1]}"
    return "blockquote" if line.startswith(">") else "text"
