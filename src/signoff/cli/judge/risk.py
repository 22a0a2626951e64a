"""The action of `signoff risk`."""

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.diffs import existing, read_diff, unseen, whole
from signoff.cli.shared.files import readable
from signoff.domain.base.errors import UsageError
from signoff.judges.diff_risk import FileRisk, rate
from signoff.text.formats.unified_diff import Diff


def run(options: Options, say: Output) -> int:
    """Rate the files of the change."""
    if options.diff and options.base:
        raise UsageError("a diff and --base exclude each other", slug="usage", fix="leave one of them out")
    if options.top is not None and options.top < 1:
        raise UsageError("--top takes a number from 1 on", slug="usage", fix="signoff risk --top 5")
    diff = read_diff(options.diff) if options.diff else _against(options.root, options.base or "HEAD")
    rated = rate(diff.files)  # the total counts all of them, `--top` only shortens the list
    shown = rated[: options.top] if options.top else rated
    document = {"files": [_document(risk) for risk in shown], "total": len(rated)}
    lines = [f"risk: {len(rated)} changed files"]
    for risk in shown:
        signals = ", ".join(f"{s.name} {s.weight:g}×{s.value:g}" for s in risk.signals)
        lines.append(f"  {risk.score:6.2f}  {readable(risk.path)}" + (f"  ({signals})" if signals else ""))
    say.result(document, "\n".join(lines))
    for sentence in unseen(diff):
        say.note(sentence)
    return 0


def _against(root: str, base: str) -> Diff:
    from signoff.wiring import change_here

    with change_here(existing(root), base) as change:
        return whole(f"the diff against {base}", change.exact_diff())


def _document(risk: FileRisk) -> dict[str, object]:
    return {
        "path": readable(risk.path),
        "score": risk.score,
        "signals": [signal._asdict() for signal in risk.signals],
        "generated": risk.is_generated,
    }
