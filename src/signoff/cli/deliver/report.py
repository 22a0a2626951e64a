"""The action of `signoff report`."""

import msgspec

from signoff import __version__
from signoff.cli.shared.command import Options, Output, as_document
from signoff.cli.shared.violations import violation_text
from signoff.delivery.report.verdict_junit import junit
from signoff.delivery.report.verdict_sarif import sarif
from signoff.domain.base.errors import UsageError
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.evidence.verdict import Standing, VerdictOutcome
from signoff.domain.ports import RunFolder
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import Settings
from signoff.engine.run.kit import Kit
from signoff.runs.inspect.certificate_check import NOT_JUDGED_AGAIN, rerun, verify
from signoff.runs.inspect.run_details import as_data, describe
from signoff.runs.inspect.run_list import Looked, find, look
from signoff.runs.state.run_views import report_page
from signoff.wiring import build


def run(options: Options, say: Output) -> int:
    """Print the report, or verify what was signed off."""
    if options.rerun and not options.verify:
        raise UsageError(
            "--rerun needs --verify", slug="usage", fix=f"signoff report {options.run} --verify --rerun"
        )
    if options.verify and options.format:
        raise UsageError(
            "--verify and --format exclude each other", slug="usage", fix="leave --format out, or use --json"
        )
    kit = build(options.root)
    folder = find(kit, options.run)
    if options.verify:
        return _verify(kit, folder, say, again=options.rerun)
    document, text = _report(
        kit, look(kit, folder.run_id), options.format or ("json" if say.as_json else "md")
    )
    say.result(document, text.rstrip("\n"))
    return 0


def _report(kit: Kit, looked: Looked, form: str) -> tuple[object, str]:
    """Return the report as a document and as text."""
    folder, state, found = looked
    match form:
        case "json":
            data: object = {**as_data(describe(kit, looked)), **_standing(found)}
            return data, as_document(data)
        case "sarif":
            data = sarif(state, found, __version__)
            return data, as_document(data)
        case "junit":
            text = junit(state, found)
        case _:
            text = report_page(folder, state, found)
    return {"run_id": folder.run_id, "format": form, "report": text}, text


def _standing(found: Survey) -> dict[str, object]:
    """Return `ok`, and one violation for each required clause that is neither proven nor waived."""
    rows = found.verdict.clauses if found.verdict is not None else ()
    accepted = (Standing.PROVEN, Standing.WAIVED)
    open_rows = [row for row in rows if row.required and row.standing not in accepted]
    violations = [
        Violation(code=str(row.standing), severity=Severity.ERROR, message=f"{row.clause}: {row.why}")
        for row in open_rows
    ]
    signed = found.verdict is not None and found.verdict.outcome is VerdictOutcome.SIGNED_OFF
    return {"ok": signed, "violations": msgspec.to_builtins(violations)}


def _verify(kit: Kit, folder: RunFolder, say: Output, *, again: bool) -> int:
    violations = verify(kit, folder)
    if again and not violations:
        say.note("running the checks again")
        violations = rerun(kit, folder, kit.agents.open("hosted", Settings(), None))
    ok = not any(violation.severity is Severity.ERROR for violation in violations)
    what = "certificate, receipts, contract, journal and tree agree" + ("; so do the checks" if again else "")
    lines = [f"ok: {what}"] if ok else ["not ok:"]
    document = {
        "run_id": folder.run_id,
        "ok": ok,
        "violations": msgspec.to_builtins(violations),
        "rerun": again,
    }
    say.result(document, "\n".join((*lines, *(violation_text(v) for v in violations))))
    if ok:
        return 0
    return 5 if all(violation.code == NOT_JUDGED_AGAIN for violation in violations) else 1
