"""The action of `signoff evidence`."""

import sys

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import open_regular
from signoff.domain.base.errors import UsageError
from signoff.judges.evidence.claim_verdict import ClaimJudgement, Reason, judge
from signoff.judges.evidence.log_lines import LARGEST
from signoff.judges.evidence.log_runs import Claim, LogStatus


def run(options: Options, say: Output) -> int:
    """Judge the claim. Anything that cannot be read is a no, never an error."""
    if options.log == "-" and options.report == "-":
        raise UsageError("only one of log and report can come from standard input", slug="usage")
    judged = _judged(options)
    say.result(_document(options, judged), _text(options, judged))
    return 0 if judged.ok else 1


def _judged(options: Options) -> ClaimJudgement:
    files: list[bytes | None] = []
    for source, path in (("log", options.log), ("report", options.report)):
        try:
            files.append(None if path is None else _read(path))
        except (OSError, ValueError) as error:  # the latter: a NUL in the path
            reason, why = Reason.NOT_READABLE, str(error)
            if isinstance(error, FileNotFoundError):
                reason, why = Reason.MISSING, "there is no such file"
            elif isinstance(error, OSError) and error.strerror:
                why = error.strerror
            return ClaimJudgement(ok=False, reason=reason, message=f"{path}: {why}", source=source)
    return judge(Claim(options.claim), LogStatus(options.status), files[0], files[1])


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(LARGEST + 1)
    with open_regular(path) as file:
        return file.read(LARGEST + 1)


def _document(options: Options, judged: ClaimJudgement) -> dict[str, object]:
    counts = judged.counts
    return {
        "ok": judged.ok,
        "reason": judged.reason,
        "message": judged.message,
        "claim": options.claim,
        "status": options.status,
        "runner": judged.runner,
        "source": judged.source,
        "line": judged.line,
        "counts": {name: getattr(counts, name) for name in counts.__struct_fields__},
    }


def _text(options: Options, judged: ClaimJudgement) -> str:
    word = "shown" if judged.ok else f"not shown ({judged.reason})"
    return f"{options.claim} {options.status}: {word}\n  {judged.message}"
