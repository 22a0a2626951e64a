"""The action of `signoff tests`."""

import os
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.diffs import decoded, existing, read_diff, unseen
from signoff.cli.shared.files import LARGEST, open_regular, readable, unreadable_file
from signoff.domain.base.errors import InfrastructureError, UsageError
from signoff.domain.evidence.case_records import AssertionChange, NotJudged, Weakening
from signoff.domain.evidence.case_records import FileSides as TestSides
from signoff.judges.test_gap.missing_tests import (
    GapSeverity,
    MissingTest,
    SourceSides,
    gaps_between,
    gaps_in_diff,
    is_judged,
)
from signoff.judges.test_integrity.comparison.integrity_verdict import own_packages
from signoff.judges.test_results.report_comparison import is_test_path
from signoff.text.formats.unified_diff import FileDiff

_LARGEST_SOURCE = 2_000_000
"""Bytes. Larger files are not written by hand."""
_NO_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"})


def run(options: Options, say: Output) -> int:
    """Do what was asked."""
    _check_words(options)
    return ACTIONS[options.action](options, say)


def _check_words(options: Options) -> None:
    if bool(options.before) != bool(options.after):
        raise UsageError("--before and --after go together", slug="usage", fix="name both folders")
    if sum(map(bool, (options.diff, options.base, options.before))) > 1:
        raise UsageError(
            "a diff, --base and --before/--after exclude each other", slug="usage", fix="keep one of them"
        )
    if options.threshold is not None and options.threshold < 0:
        raise UsageError("--threshold takes a number from 0 on", slug="usage", fix="--threshold 0")


def _gap(options: Options, say: Output) -> int:
    found = _gaps(options, say)
    important = [gap for gap in found if gap.severity is GapSeverity.IMPORTANT]
    is_good = len(important) <= (options.threshold or 0)
    document = {
        "ok": is_good,
        "findings": [
            {**gap._asdict(), "path": readable(gap.path), "symbol": readable(gap.symbol)} for gap in found
        ],
        "important": len(important),
    }
    head = f"tests gap: {len(found)} new without a test, {len(important)} important"
    lines = [f"  {gap.severity} {readable(gap.path)}:{gap.line} {gap.message}" for gap in found]
    say.result(document, "\n".join((head, *lines)))
    return 0 if is_good else 1


def _gaps(options: Options, say: Output) -> list[MissingTest]:
    """Return the gaps of the change that the options name: a diff, two folders, or the working tree.

    A diff is completed by the tests around it. The other two have both sides of every file.
    """
    if options.diff:
        diff = read_diff(options.diff)
        for sentence in unseen(diff):
            say.note(sentence)
        return gaps_in_diff(diff.files, _existing_tests(options.root, say))
    if options.before:
        old, new = (dict(_files(existing(folder))) for folder in (options.before, options.after))
        named = sorted(path for path in {*old, *new} if is_judged(path))
        read = [SourceSides(path, _read(old.get(path)), _read(new.get(path))) for path in named]
        known = {path: _read(place) or "" for path, place in new.items() if is_test_path(path)}
        return gaps_between([side for side in read if side.before != side.after], known)
    from signoff.wiring import change_here

    with change_here(existing(options.root), options.base or "HEAD") as view:
        paths = [change.path for change in view.changes(view.base, view.final) if is_judged(change.path)]
        before, after = view.read_many(view.base, paths), view.read_many(view.final, paths)
        tests = view.read_many(view.final, filter(is_test_path, view.paths(view.final)))
        sides = [
            SourceSides(path, _source_text(before.get(path)), _source_text(after.get(path))) for path in paths
        ]
        return gaps_between(sides, {path: _source_text(data) or "" for path, data in tests.items()})


def _source_text(data: bytes | None) -> str | None:
    """Return a file as text, or None if it is missing, binary or larger than a file written by hand."""
    if data is None or b"\0" in data[:8_192] or len(data) > _LARGEST_SOURCE:
        return None
    return decoded(data)


def _integrity(options: Options, say: Output) -> int:
    """Print what the change did to existing tests, and return the exit code: findings outrank doubts.

    Files that were not judged fail only with `--strict`, unless the comparison was cut short.
    """
    from signoff.judges.test_integrity.comparison.integrity_verdict import judge
    from signoff.wiring import test_readers

    sides, paths, unread = _integrity_sides(options, say)
    judged = judge(sides, test_readers(), own_packages(paths), frozenset(options.permit))
    judged.not_judged.extend(NotJudged(path, "binary, or larger than anybody writes") for path in unread)
    is_unsure = judged.is_cut_short or (options.strict and bool(judged.not_judged))
    document = {
        "ok": not judged.findings and not is_unsure,
        "findings": [_as_document(found) for found in judged.findings],
        "changed": [_as_document(found) for found in judged.changed],
        "not_judged": [_as_document(found) for found in judged.not_judged],
    }
    head = f"tests integrity: {len(judged.findings)} weakened"
    if judged.changed:
        head += f", {len(judged.changed)} insist on something else"
    if judged.not_judged:
        head += f", {len(judged.not_judged)} not judged"
    lines = [
        f"  {f.severity} {f.kind} {readable(f.path)}:{f.line} {readable(f.message)}" for f in judged.findings
    ]
    lines += [f"  changed {readable(f.path)}:{f.line} {readable(f.message)}" for f in judged.changed]
    lines += [f"  not judged {readable(f.path)}: {f.reason}" for f in judged.not_judged]
    say.result(document, "\n".join((head, *lines)))
    return 1 if judged.findings else 5 if is_unsure else 0


def _as_document(found: Weakening | AssertionChange | NotJudged) -> dict[str, object]:
    return {
        name: readable(value) if isinstance(value, str) else value for name, value in found._asdict().items()
    }


class _ChangeRead(NamedTuple):
    """Both sides of every file that matters, the known paths of the project, and what cannot be read."""

    sides: list[TestSides]
    paths: list[str]
    unread: list[str]


def _integrity_sides(options: Options, say: Output) -> _ChangeRead:
    """Return both sides of every file to compare. One that cannot be read as text is named, never skipped.

    The three sources of a change differ in what is at hand: a diff is completed from the working tree,
    folders and a base have both sides as files.
    """
    from signoff.judges.test_integrity.comparison.integrity_verdict import is_judged as is_weighed

    if options.diff:
        from signoff.judges.test_integrity.comparison.diff_sides import sides_of

        diff = read_diff(options.diff)
        for sentence in unseen(diff):
            say.note(sentence)
        listed = [file for file in diff.files if is_weighed(file.old_path) or is_weighed(file.new_path)]
        made = [side for file in listed for side in sides_of(file, _current_file(options.root, file))]
        return _ChangeRead(made, _names_around(options.root), [])
    if options.before:
        old, new = (dict(_files(existing(folder))) for folder in (options.before, options.after))
        paths = sorted(path for path in {*old, *new} if is_weighed(path))
        read = [TestSides(path, _read(old.get(path)), _read(new.get(path))) for path in paths]
        return _ChangeRead(*_without_unread(read, old.keys(), new.keys(), [*old, *new]))
    from signoff.wiring import change_here

    with change_here(existing(options.root), options.base or "HEAD") as view:
        paths = [change.path for change in view.changes(view.base, view.final) if is_weighed(change.path)]
        before, after = view.read_many(view.base, paths), view.read_many(view.final, paths)
        made = [
            TestSides(path, _source_text(before.get(path)), _source_text(after.get(path))) for path in paths
        ]
        return _ChangeRead(*_without_unread(made, before.keys(), after.keys(), view.paths(view.final)))


def _without_unread(
    sides: list[TestSides], before: Collection[str], after: Collection[str], paths: list[str]
) -> tuple[list[TestSides], list[str], list[str]]:
    """Separate the files that exist and gave no text from the others."""
    unread = [
        side.path
        for side in sides
        if (side.before is None and side.path in before) or (side.after is None and side.path in after)
    ]
    return [side for side in sides if side.path not in unread], paths, unread


def _current_file(root: str, file: FileDiff) -> str | None:
    """Return the current text of the file of a diff, None if it is missing or its name leads elsewhere."""
    for path in (file.new_path, file.old_path):
        if not path or "\0" in path:
            continue
        place = os.path.realpath(os.path.join(root, path))
        is_inside = place.startswith(os.path.join(os.path.realpath(root), ""))
        if is_inside and os.path.isfile(place):
            return _read(place)
    return None


def _names_around(root: str) -> list[str]:
    """Return the paths of the project around a diff, empty if they cannot be listed."""
    from signoff.wiring import project

    try:
        return sorted(project(root).paths())
    except (InfrastructureError, UsageError):
        return []


def _existing_tests(root: str, say: Output) -> dict[str, str]:
    """Read the tests around a diff. Without git it is unknown which files belong to the project."""
    from signoff.wiring import project

    try:
        tree = project(root)
    except InfrastructureError as error:
        say.note(f"existing tests were not looked at: {error.what}")
        return {}
    paths = [path for path in tree.paths() if is_test_path(path)]
    return {path: _read(os.path.join(tree.root, path)) or "" for path in paths}


def _files(folder: str) -> Iterator[tuple[str, str]]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NO_FOLDERS]
        for name in names:
            path = os.path.join(place, name)
            if not os.path.islink(path):
                yield os.path.relpath(path, folder).replace(os.sep, "/"), path


def _read(place: str | None) -> str | None:
    if place is None:
        return None
    try:
        with open_regular(place) as file:
            return _source_text(file.read(LARGEST))
    except OSError as error:
        raise unreadable_file(place, error) from None


def _redgreen(options: Options, say: Output) -> int:
    from signoff.cli.judge.redgreen import redgreen

    return redgreen(options, say)


ACTIONS: dict[str, Callable[[Options, Output], int]] = {
    "gap": _gap,
    "integrity": _integrity,
    "redgreen": _redgreen,
}
"""What `signoff tests` can do."""
