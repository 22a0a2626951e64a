"""`signoff contract verify`: run every check of a contract here and now."""

import os
from typing import NamedTuple

import msgspec

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.contract_files import contract_of, unusable, usable
from signoff.cli.shared.files import json_text, make_folder, read_file, replace_file
from signoff.contracts.files.contract_file_check import hindrances
from signoff.contracts.files.contract_seal import seal_of
from signoff.contracts.files.plan_contract_format import plan_beside
from signoff.contracts.verification.check_run import VerificationRequest, verify_contract
from signoff.contracts.verification.verification_page import verification_page
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.base.typed_ids import TaskId
from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verification import Verification
from signoff.domain.work.checks import Citation
from signoff.text.json.decode import Decoded, decode
from signoff.text.redaction import redact
from signoff.wiring import site

EXIT_CODES = {Result.PASS: 0, Result.FAIL: 1, Result.PARTIAL: 5}


class _Results(NamedTuple):
    """The files that results are written to, as pairs of JSON and page."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for pair in self.pairs for path in pair)


def verify(options: Options, say: Output) -> int:
    """Run the checks, write the results, and say how they came out."""
    judged = usable(options.file, read_file(options.file), plan=_plan_to_compare(options))
    contract = contract_of(judged, options.file)
    if wrong := hindrances(judged):
        raise unusable(options.file, wrong, "contract-invalid", "cannot be verified")
    results = _results(options)
    raw = judged.document.raw
    assert raw is not None
    with site(options.root) as here:
        wanted = VerificationRequest(
            contract=contract,
            digest=seal_of(raw),
            task=TaskId(options.task) if options.task else None,
            citations=read_citations(options.citations),
            base=options.base,
            without=_paths_inside(here.place.root, results.paths),
            uncompared=_paths_inside(
                here.place.root, (options.file, *((options.plan,) if options.plan else ()))
            ),
        )
        found = verify_contract(here, wanted)
    page = verification_page(contract, found)
    for machine, human in results.pairs:
        # A command line may carry a token, and so may what was expected of its output.
        replace_file(machine, redact(json_text(_as_builtins(found))))
        replace_file(human, redact(page.encode("utf-8", "replace")))
    say.result({**_as_builtins(found), "files": results.paths}, _report(found))
    for path in results.paths:
        say.note(f"wrote {path}")
    return EXIT_CODES[found.verification_result]


def read_citations(path: str | None) -> tuple[Citation, ...]:
    """Read a file with a list of citations. Without a file there are none."""
    if path is None:
        return ()
    found: Decoded[tuple[Citation, ...]] = decode(read_file(path), tuple[Citation, ...])
    if found.value is not None:
        return found.value
    first = found.violations[0]
    raise ConfigError(
        f"{path} is not a list of citations",
        slug="citations-invalid",
        why=f"{first.path or '/'}: {first.message}",
        fix='write [{"clause": "T1/check-1", "path": "src/a.py", "line": 3, "snippet": "text of that line"}]',
    )


def _plan_to_compare(options: Options) -> bytes | None:
    """Return the plan to compare with: the one named, or the one that belongs to a phase's contract."""
    if options.plan:
        return read_file(options.plan)
    folder, name = os.path.split(options.file)
    beside = os.path.join(folder, plan_beside(name)) if plan_beside(name) else ""
    return read_file(beside) if beside and os.path.isfile(beside) else None


def _results(options: Options) -> _Results:
    """Return the names of the result files: beside the contract or in --out.

    A phase's contract gets those of its phase too.
    """
    if options.file == "-" and not options.out:
        raise UsageError(
            "a contract from standard input has no folder for its results",
            slug="usage",
            fix="name a folder with --out DIR",
        )
    folder, name = os.path.split(options.file)
    place = options.out or folder
    if options.out:
        make_folder(options.out)
    stems = ["verification"]
    if plan_beside(name):
        stems.append(name.removesuffix("-contract.json") + "-verification")
    paths = [os.path.join(place, stem) for stem in stems]
    return _Results(tuple((f"{path}.json", f"{path}.md") for path in paths))


def _paths_inside(root: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    top = os.path.realpath(root)
    full = [os.path.realpath(path) for path in paths]
    return tuple(os.path.relpath(path, top) for path in full if path.startswith(top + os.sep))


def _as_builtins(found: Verification) -> dict[str, object]:
    document: dict[str, object] = msgspec.to_builtins(found)
    return document


def _report(found: Verification) -> str:
    lines = [f"verification: {found.verification_result}"]
    for clause in found.clauses:
        reason = f" [{clause.failure_reason}]" if clause.failure_reason else ""
        lines.append(f"  {clause.result:<7} {clause.id}: {clause.detail or clause.text}{reason}")
    lines += [f"  review  {item.id}: {item.text} ({item.why})" for item in found.needs_review]
    lines += [f"  not part of the tree: {path}" for path in found.unreadable]
    if found.changed:
        lines.append(f"  changed while the checks ran: {', '.join(found.changed)}")
    return "\n".join(lines)
