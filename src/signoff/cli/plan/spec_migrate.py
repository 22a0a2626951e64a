"""`signoff spec migrate`: rewrite older specs in today's shape."""

from typing import NamedTuple

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import json_text, read_file, replace_file
from signoff.cli.shared.violations import listing
from signoff.contracts.files.document_files import has_errors, read_spec
from signoff.domain.base.errors import SignoffError, UsageError
from signoff.domain.base.violations import Violation
from signoff.specs.spec_migration import migrate
from signoff.wiring import lock_around


class _Failure(NamedTuple):
    path: str
    violations: tuple[Violation, ...]
    is_readable: bool


def migrate_files(options: Options, say: Output) -> int:
    """Migrate each file by itself.

    One that cannot be migrated is left as it is and named; its failure does not stop the others.
    """
    migrated: dict[str, tuple[str, ...]] = {}
    unchanged: list[str] = []
    failures: list[_Failure] = []
    for path in options.words:
        try:
            found = _migrate(path)
        except SignoffError as error:
            say.note(f"{path}: {error.what}: {error.why}")
            found = _Failure(path, (), is_readable=False)
        if isinstance(found, _Failure):
            failures.append(found)
        elif found:
            migrated[path] = found
        else:
            unchanged.append(path)
    document = {
        "migrated": list(migrated),
        "unchanged": unchanged,
        "failed": [failure.path for failure in failures],
        "changes": migrated,
        "violations": {failure.path: failure.violations for failure in failures},
    }
    lines = [f"{path}: migrated ({', '.join(changes)})" for path, changes in migrated.items()]
    lines += [f"{path}: unchanged" for path in unchanged]
    lines += [listing(f"{failure.path}: failed, left as it is", failure.violations) for failure in failures]
    say.result(document, "\n".join(lines))
    if any(not failure.is_readable for failure in failures):
        return 2
    return 1 if failures else 0


def _migrate(path: str) -> tuple[str, ...] | _Failure:
    """Return what was changed in a file, nothing for one in today's shape."""
    if path == "-":
        raise UsageError("only a file can be migrated", slug="usage", fix="signoff spec migrate FILE...")
    read_file(path)  # a mistyped name is said as such, before its folder is asked for
    with lock_around(path):
        document = read_spec(read_file(path))
        if document.raw is None:
            return _Failure(path, document.violations, document.is_readable)
        done = migrate(document.raw)
        if has_errors(done.violations):
            return _Failure(path, done.violations, is_readable=True)
        if done.changes:
            replace_file(path, json_text(done.raw))
        return done.changes
