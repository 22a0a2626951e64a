"""Compare the scripts of a package.json: what they run, and which other scripts they start. Pure."""

import json
import re
from collections.abc import Iterator, Mapping

from signoff.domain.evidence.case_records import WeakeningKind, quoted
from signoff.judges.test_integrity.runner_settings.runner_commands import (
    Weakened,
    fewer_places,
    is_run_by,
    test_commands,
    weaker_options,
)

_NOTHING = re.compile(r"^\s*(?:true|:|exit 0|echo\b[^&|;]*|)\s*$")
_PARTS = re.compile(r"&&|\|\||;|(?<!&)&(?!&)")
_STARTED = re.compile(r"^\s*(?:npm|pnpm|yarn|bun|npm-run-all|run-s|run-p|node --run)\b(?P<words>.*)$")
_NO_SCRIPT = frozenset({"run", "run-script", "exec", "install", "ci", "add", "dlx", "x"})
_TESTING = re.compile(r"test|spec|unit|e2e|integration|cover|check|verify|smoke|acceptance", re.IGNORECASE)


def scripts_weakened(old_text: str, new_text: str) -> Iterator[Weakened]:
    """Yield what the scripts that run tests do less.

    A script counts by its name or its commands. It may be gone, run nothing, or run less than before.
    """
    old, new = _scripts(old_text), _scripts(new_text)
    for name, before in old.items():
        after = new.get(name)
        is_test = "test" in name or name in ("check", "verify", "coverage") or any(test_commands(before, ""))
        if not is_test or before == after or _NOTHING.match(before):
            continue
        if after is None:
            is_there = before in new.values() or (name != "test" and is_run_by(before, new.values()))
            if not is_there:
                message = f"the script {name} is gone: {quoted(before)} → nothing"
                yield Weakened(WeakeningKind.COLLECTION_NARROWED, message)
        elif _NOTHING.match(after):
            message = f"the script {name} runs nothing: {quoted(before)} → {quoted(after)}"
            yield Weakened(WeakeningKind.COLLECTION_NARROWED, message)
        else:
            yield from _script_weakened(name, before, after, old, new)


def _script_weakened(
    name: str, before: str, after: str, old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Weakened]:
    yield from weaker_options(before, after)
    if fewer_places(before, after):
        message = f"the script {name} runs less: {quoted(before)} → {quoted(after)}"
        yield Weakened(WeakeningKind.COLLECTION_NARROWED, message)
    reached = "\n".join(_reached(after, new, frozenset({name})))
    for part in _lost_parts(before, after, old):
        bodies = _reached(part, old, frozenset({name}))
        if not any(body.strip() and body.strip() in reached for body in bodies):
            message = f"the script {name} leaves out {quoted(part)}: {quoted(before)} → {quoted(after)}"
            yield Weakened(WeakeningKind.COLLECTION_NARROWED, message)


def _lost_parts(before: str, after: str, scripts: Mapping[str, str]) -> Iterator[str]:
    """Yield the parts of a chain that ran tests and have no counterpart in the other chain.

    A part that starts a script counts by that script, any other part by the test program it runs. A part that
    is new on the other side may be the replacement of such a program.
    """
    kept = [part.strip() for part in _PARTS.split(after)]
    programs = [command.program for part in kept for command in test_commands(part, "")]
    started = {script for part in kept for script in _started(part, scripts)}
    for part in (part.strip() for part in _PARTS.split(before)):
        if part in kept:
            continue
        scripted = [script for script in _started(part, scripts) if script not in started]
        if any(_TESTING.search(script) or any(test_commands(scripts[script], "")) for script in scripted):
            yield part
        elif not _started(part, scripts):
            own = [command.program for command in test_commands(part, "")]
            if own and not any(program in programs for program in own) and not _is_replaced(kept, before):
                yield part


def _is_replaced(kept: list[str], before: str) -> bool:
    """Check whether the new chain has a part that the old one lacks.

    It may be another runner, or a script that starts it.
    """
    known = [part.strip() for part in _PARTS.split(before)]
    return any(part not in known for part in kept)


def _started(part: str, scripts: Mapping[str, str]) -> list[str]:
    found = _STARTED.match(part)
    words = [] if found is None else found["words"].split()
    return [word for word in words if word in scripts and word not in _NO_SCRIPT]


def _reached(text: str, scripts: Mapping[str, str], seen: frozenset[str]) -> list[str]:
    """Return the parts of a script and of those it starts."""
    found: list[str] = []
    for part in _PARTS.split(text):
        found.append(part)
        for name in _started(part, scripts):
            if name not in seen:
                found += _reached(scripts[name], scripts, seen | {name})
    return found


def _scripts(text: str) -> dict[str, str]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return {k: v for k, v in scripts.items() if isinstance(v, str)} if isinstance(scripts, dict) else {}
