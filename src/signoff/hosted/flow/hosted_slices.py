"""What a host hands in, slice by slice: is it there, and has it the shape that was asked for?

Pure. What is well-formed is not yet true: the flow compares it with what the engine saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.text.lazy_patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

TEST_VERDICTS = ("success", "failed", "mixed")
REVIEW_VERDICTS = ("success", "blocked", "partial")
_VERDICTS = {"tests": TEST_VERDICTS, "verify": REVIEW_VERDICTS}
BLOCKING = frozenset({"critical", "blocker", "blocking", "must-fix"})
"""Severities beside which a review that calls itself a success contradicts itself."""


class JudgedSlice(msgspec.Struct, frozen=True):
    """One slice of the state, looked at: empty, malformed with a reason, or fit to be read."""

    value: object = None
    is_empty: bool = False
    fault: str = ""

    @property
    def is_fit(self) -> bool:
        """Whether it can be read."""
        return not self.is_empty and not self.fault


def look_at(name: str, value: object) -> JudgedSlice:
    """Judge the shape of one of the four slices that a host fills.

    An empty value of any type is no fault: the host has not filled the slice yet.
    """
    if value is None or value == "" or (isinstance(value, str) and not value.strip()) or value in ([], {}):
        return JudgedSlice(value, is_empty=True)
    match name:
        case "plan":
            fault = _plan_fault(value)
        case "changes":
            fault = "`changes` is a list of objects with `path`"
            if isinstance(value, list):
                bad = [n for n, entry in enumerate(value, start=1) if not _first_words(entry, "path", "file")]
                fault = f"entry {bad[0]} has no `path` (or `file`)" if bad else ""
        case _:
            fault = _verdict_fault(name, value)
    return JudgedSlice(value, fault=fault)


def _plan_fault(value: object) -> str:
    """Return what is wrong with the shape of a plan, or "".

    A plan is a text, a list of steps, or an object that holds such a list. An empty text never gets here.
    """
    match value:
        case str():
            return ""
        case list():
            bad = [
                n
                for n, step in enumerate(value, start=1)
                if not _has_words(step) and not _first_words(step, "title", "step")
            ]
            return f"step {bad[0]} is neither a text nor an object with `title` or `step`" if bad else ""
        case dict():
            steps = value.get("steps")
            if not isinstance(steps, list) or not steps:
                return "a plan that is an object needs `steps`, a list that is not empty"
            return _plan_fault(steps)
        case _:
            return "a plan is a text, a list of steps, or an object with `steps`"


def _verdict_fault(name: str, value: object) -> str:
    verdicts = _VERDICTS[name]
    if not isinstance(value, dict):
        return f"`{name}` is an object with a `verdict`"
    if value.get("verdict") not in verdicts:
        return f"`{name}.verdict` is one of {', '.join(verdicts)}"
    if name == "verify" and not isinstance(value.get("findings", []), list):
        return "`verify.findings` is a list"
    return ""


def steps_of(plan: object) -> tuple[str, ...]:
    """Return the steps of a well-formed plan, one line each."""
    match plan:
        case str():
            return tuple(line.strip() for line in plan.splitlines() if line.strip())
        case list():
            return tuple(
                _first_words(step, "title", "step") if isinstance(step, dict) else str(step) for step in plan
            )
        case dict():
            return steps_of(plan.get("steps"))
        case _:
            return ()


class ClaimedChange(msgspec.Struct, frozen=True):
    """One file a host says it changed."""

    path: str
    lines: str = ""
    purpose: str = ""
    is_gone: bool = False
    """The host says it removed the file."""


def changes_of(value: object) -> tuple[ClaimedChange, ...]:
    """Return a well-formed list of changes as records."""
    return tuple(_changes(value))


def _changes(value: object) -> Iterator[ClaimedChange]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and (path := _first_words(entry, "path", "file")):
            kind = str(entry.get("kind") or entry.get("status") or entry.get("action") or "")
            yield ClaimedChange(
                path=repo_path(path),
                lines=_first_text(entry, "lines", "range"),
                purpose=_first_text(entry, "purpose", "why", "summary"),
                is_gone=kind.lower() in ("deleted", "delete", "removed", "remove"),
            )


_LINES = pattern(r":\d+(?:[-:]\d+)?$")


def repo_path(path: str) -> str:
    """Return a path as the repository writes it: no `./`, no line numbers behind it."""
    flat = path.strip().replace("\\", "/")
    while flat.startswith("./"):
        flat = flat[2:]
    return _LINES.sub("", flat)


def blocking_findings(verify: object) -> int:
    """Count the findings that no review may pass over."""
    findings = verify.get("findings") if isinstance(verify, dict) else None
    found = findings if isinstance(findings, list) else []
    return sum(
        1
        for finding in found
        if isinstance(finding, dict)
        and (str(finding.get("severity", "")).strip().lower() in BLOCKING or finding.get("blocking") is True)
    )


def verdict_of(value: object) -> str:
    """Return the verdict of a well-formed `tests` or `verify`."""
    return str(value.get("verdict", "")) if isinstance(value, dict) else ""


def _first_words(entry: object, *names: str) -> str:
    """Return the first of these fields that holds words, or "" if none does or it is no object."""
    if not isinstance(entry, dict):
        return ""
    return next((str(entry[name]) for name in names if _has_words(entry.get(name))), "")


def _first_text(entry: dict[str, object], *names: str) -> str:
    for name in names:
        found = entry.get(name)
        if isinstance(found, str | int) and not isinstance(found, bool):
            return str(found)
        if isinstance(found, list):
            return "-".join(str(part) for part in found[:2])
    return ""


def _has_words(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
