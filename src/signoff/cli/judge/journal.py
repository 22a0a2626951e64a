"""The action of `signoff journal`."""

import os

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import blocks, open_regular, unreadable_file
from signoff.judges.journal.journal_check import UNREADABLE_BUGS, Anchor, JournalCheck, check_journal
from signoff.judges.journal.journal_rules import Fault

TYPE_CHECKING = False  # typing takes longer to load than the check itself
if TYPE_CHECKING:
    from typing import Any


def run(options: Options, say: Output) -> int:
    """Check the log, after repairing it if that was asked for."""
    repaired = _repair(options.file, say) if options.action == "repair" else {}
    anchors, unreadable = _anchors(options.file)
    found = _check(options.file, anchors)
    violations = (*unreadable, *found.violations)
    ok = found.ok and not unreadable
    document = {
        "ok": ok,
        "profile": found.profile,
        "events": found.events,
        "chain": found.chain,
        "violations": [violation._asdict() for violation in violations],
        **repaired,
    }
    word = "valid" if ok else "invalid"
    lines = [f"{options.file}: {word} ({found.profile}, {found.events} events, chain {found.chain})"]
    for fault in violations:
        places = (("line", fault.line), ("at", fault.path))
        where = " ".join(f"{name} {value}" for name, value in places if value)
        lines.append(f"  {fault.severity}[{fault.code}] {where}: {fault.message}".replace(" :", ":"))
    say.result(document, "\n".join(lines))
    return 0 if ok else 1


def _check(path: str, anchors: list[Anchor]) -> JournalCheck:
    try:
        return check_journal(blocks(path), anchors, lambda: _count_bugs(path))
    except OSError as error:
        raise unreadable_file(path, error) from None


def _repair(path: str, say: Output) -> dict[str, object]:
    """Cut off a torn last line. Damage of another kind is left for the check to name."""
    from signoff.domain.base.errors import ConfigError
    from signoff.wiring import repair_journal

    try:
        open_regular(path).close()
        done = repair_journal(path)
    except OSError as error:
        raise unreadable_file(path, error) from None
    except ConfigError as error:
        if error.slug not in ("journal-damaged", "journal-empty"):
            raise
        say.note(f"not repaired: {error.what} ({error.why or error.fix})")
        return {"repaired": None}
    if done.cut:
        say.note(f"cut {done.cut} bytes off the torn last line; they are kept in {done.kept}")
    else:
        say.note("nothing to repair: the last line is whole")
    return {"repaired": {"bytes": done.cut, "kept": done.kept}}


def _anchors(path: str) -> tuple[list[Anchor], list[Fault]]:
    """Return what the files beside the log remember, and a fault for each that a log of ours cannot read."""
    import json

    folder, name = os.path.split(path)
    found: list[Anchor] = []
    faults: list[Fault] = []
    for source in ("state.json", "certificate.json"):
        try:
            with open_regular(os.path.join(folder, source)) as file:
                found += _anchor(source, json.loads(file.read()))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            if name == "journal.jsonl":
                message = (
                    f"{source} beside the log cannot be read, "
                    f"so its end could not be compared: {error!r:.200}"
                )
                fix = "restore it from a copy"
                faults.append(Fault("anchor-unreadable", "error", None, "", None, message, fix))
    return found, faults


def _anchor(source: str, said: "Any") -> list[Anchor]:
    """Return the record that a file beside the log names as its last one."""
    if source == "state.json":
        return [Anchor(int(said["seq"]), str(said["head"]), source, bool(said["finished"]))]
    predicate = said["predicate"]
    head = predicate["journal"]
    # After a waiver the certificate names the journal of the waiver, which is not this log.
    if head["run"] != predicate["run"]:
        return []
    return [Anchor(int(head["seq"]), str(head["sum"]), source, must_end=True)]


def _count_bugs(path: str) -> int | None:
    """Count the bugs of the BUGS.md beside the log of an audit, None if no file of an audit is beside it."""
    folder, name = os.path.split(path)
    if name != "run_state.jsonl":
        return None
    from signoff.audits.bug_headings import bug_headings

    try:
        with open_regular(os.path.join(folder, "BUGS.md")) as file:
            return len(bug_headings(line.decode("utf-8", "replace") for line in file))
    except FileNotFoundError:
        others = ("PROGRESS.md", "EXPLORATION.md", "REQUIREMENTS.md")
        return 0 if any(os.path.exists(os.path.join(folder, other)) for other in others) else None
    except OSError:
        return UNREADABLE_BUGS
