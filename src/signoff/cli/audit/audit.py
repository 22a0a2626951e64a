"""The action of `signoff audit`."""

import os
from functools import cache

from signoff.audits.audit_phases import LOG, check_phase, compare_bugs, count_bugs, is_done
from signoff.audits.audit_resume import FRESH, Action, next_step
from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import LARGEST, blocks, open_regular, unreadable_file
from signoff.cli.shared.line_counts import place_below, real_root
from signoff.domain.base.errors import UsageError
from signoff.judges.journal.audit_events import PHASES
from signoff.judges.journal.audit_order import AuditLog
from signoff.judges.journal.journal_check import JournalCheck, check_audit
from signoff.judges.journal.journal_rules import Fault


def run(options: Options, say: Output) -> int:
    """Do what was asked."""
    files = DiskArtifacts(options.root)
    if options.action == "check":
        if options.phase is None:
            raise UsageError("which phase?", slug="usage", fix="signoff audit check --phase N")
        return _check(options.phase, files, say)
    if options.phase is not None:
        raise UsageError("--phase goes with `audit check`", slug="usage", fix="leave it out")
    return _next(files, say)


def _check(phase: int, files: "DiskArtifacts", say: Output) -> int:
    import msgspec

    unmet = list(check_phase(phase, files))
    if phase == PHASES[-1]:
        read = _read_log(files)
        log = read[1] if read is not None else None
        if log is not None and log.bugs is not None:
            unmet += compare_bugs(log.bugs, files)
    ok = not any(one.is_error for one in unmet)
    rows = [{**msgspec.to_builtins(one.violation), "file": one.file} for one in unmet]
    word = "its files are complete" if ok else "its files are not complete"
    lines = (f"  {v.severity}[{v.code}] {v.message}; {v.fix}" for _, v in unmet)
    text = "\n".join((f"phase {phase}: {word}", *lines))
    say.result({"ok": ok, "phase": phase, "violations": rows}, text)
    return 0 if ok else 1


def _next(files: "DiskArtifacts", say: Output) -> int:
    read = _read_log(files)
    decision = FRESH
    faults: tuple[Fault, ...] = ()
    if read is not None:
        check, log = read
        faults = check.violations
        decision = next_step(check, log, lambda phase: is_done(phase, files), lambda: count_bugs(files))
    violations = [fault._asdict() for fault in faults]
    document = {**decision._asdict(), "log": LOG, "violations": violations}
    where = f" {decision.phase}" if decision.phase else ""
    rows = (f"  {f.severity}[{f.code}] line {f.line}: {f.message}" for f in faults if f.severity == "error")
    say.result(document, "\n".join((f"{decision.action}{where}: {decision.reason}", *rows)))
    return 1 if decision.action is Action.INVALID_LOG else 0


def _read_log(files: "DiskArtifacts") -> tuple[JournalCheck, AuditLog | None] | None:
    """Check the log, or return None when there is none."""
    if not files.exists(LOG):
        return None
    path = os.path.join(files.top, LOG)
    try:
        return check_audit(blocks(path))
    except OSError as error:
        raise unreadable_file(path, error) from None


class DiskArtifacts:
    """The files below a root. A link that leads out of it cannot be read."""

    def __init__(self, root: str) -> None:
        self.top = real_root(root)
        self.lines = cache(self._lines)
        """Each file is read once: what is judged does not change between two conditions."""

    def exists(self, path: str) -> bool:
        """Check whether anything has this name."""
        return os.path.lexists(os.path.join(self.top, path))

    def files(self, folder: str) -> list[str]:
        """Return the names of the files in a folder, without hidden ones."""
        try:
            with os.scandir(os.path.join(self.top, folder)) as entries:
                return sorted(e.name for e in entries if not e.name.startswith(".") and e.is_file())
        except OSError:
            return []

    def _lines(self, path: str) -> tuple[str, ...] | None:
        try:
            place = place_below(self.top, path)
            if place is None:
                return None
            with open_regular(place) as file:
                data = file.read(LARGEST + 1)
        except (OSError, ValueError):  # the latter: a NUL or a lone surrogate in the name
            return None
        if len(data) > LARGEST:
            return None
        lines = data.decode("utf-8-sig", "replace").split("\n")
        if not lines[-1]:
            lines.pop()
        return tuple(line.removesuffix("\r") for line in lines)
