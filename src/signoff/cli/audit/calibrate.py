"""The action of `signoff calibrate`."""

from signoff.cli.audit.arguments.calibrate import ACTIONS
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import read_file
from signoff.cli.shared.violations import listing
from signoff.domain.base.errors import UsageError


def run(options: Options, say: Output) -> int:
    """Judge or measure."""
    if len(options.files) != ACTIONS[options.action]:
        raise UsageError(
            f"{options.action} takes {ACTIONS[options.action]} of FILE, not {len(options.files)}",
            slug="usage",
            fix="signoff calibrate verdict FILE, or signoff calibrate recall BASELINE.md CURRENT.md",
        )
    return _verdict(options, say) if options.action == "verdict" else _recall(options, say)


def _verdict(options: Options, say: Output) -> int:
    from signoff.audits.calibration import CycleVerdict, as_decimal, judge_cycle, read_cycle

    path = options.files[0]
    cycle, violations = read_cycle(read_file(path))
    if cycle is None:
        nothing: dict[str, object] = {"verdict": None, "clean": None, "regressions": [], "delta": {}}
        say.result({**nothing, "violations": violations}, listing(f"{path}: no verdict", violations))
        return 2
    judged = judge_cycle(cycle)
    document = {
        "verdict": judged.verdict,
        "clean": judged.clean,
        "regressions": judged.regressions,
        "delta": {name: None if by is None else float(by) for name, by in judged.delta.items()},
        "delta_exact": {name: as_decimal(by) for name, by in judged.delta.items()},
        "lost": judged.lost,
        "iteration": cycle.iteration,
        "iterate_cap": cycle.iterate_cap,
        "noise_floor": float(cycle.noise_floor),
        "violations": violations,
    }
    lines = [f"  {name}: {as_decimal(by) or 'not measured twice'}" for name, by in judged.delta.items()]
    lost = [f"  lost: {pair}" for pair in judged.regressions]
    say.result(document, "\n".join((listing(f"{path}: {judged.verdict}", violations), *lines, *lost)))
    return 0 if judged.verdict is CycleVerdict.SHIP else 1


def _recall(options: Options, say: Output) -> int:
    from signoff.audits.bug_lists import BugList, compare, describe, read_bugs, wilson
    from signoff.text.json.json_text import read_text

    def read(path: str) -> BugList:
        text, violations = read_text(read_file(path))
        if text is None:
            first = violations[0]
            raise UsageError(
                f"{path} cannot be read", slug="file-unreadable", why=first.message, fix=first.fix
            )
        return read_bugs(text.replace("\r\n", "\n"))

    if options.files == ["-", "-"]:
        raise UsageError("standard input can be read once", slug="usage", fix="name one of the files")
    baseline, current = (read(path) for path in options.files)
    found = compare(baseline.bugs, current.bugs)
    known, seen, both = len(baseline.bugs), len(current.bugs), len(found.pairs)
    document = {
        "recall": found.recall,
        "precision": found.precision,
        "recovered": [pair.baseline.id for pair in found.pairs],
        "missed": [bug.id for bug in found.missed],
        "spurious": [bug.id for bug in found.spurious],
        "pairs": [
            {"baseline": pair.baseline.id, "current": pair.current.id, "by": describe(pair.by)}
            for pair in found.pairs
        ],
        "counts": {"baseline": known, "current": seen, "recovered": both},
        "intervals": {"recall": wilson(both, known), "precision": wilson(both, seen)},
        "warnings": {"baseline": baseline.warnings, "current": current.warnings},
    }
    head = f"recall {_figure(both, known)}, precision {_figure(both, seen)}"
    missed = [f"  missed: {bug.id} {bug.title}".rstrip() for bug in found.missed]
    spurious = [f"  not in the baseline: {bug.id} {bug.title}".rstrip() for bug in found.spurious]
    warnings = (*baseline.warnings, *current.warnings)
    say.result(document, "\n".join((listing(head, warnings), *missed, *spurious)))
    return 0


def _figure(part: int, whole: int) -> str:
    from signoff.audits.bug_lists import wilson

    interval = wilson(part, whole)
    if interval is None:
        return "not defined (0 bugs)"
    return f"{part / whole:.3f} ({part} of {whole}; 95 %: {interval.low:.3f} to {interval.high:.3f})"
