"""`signoff contract compile`: a Markdown plan to a contract."""

import os
from typing import NamedTuple

from signoff.cli.shared.command import Options, Output, as_document
from signoff.cli.shared.contract_files import unusable
from signoff.cli.shared.files import json_text, read_file, replace_file
from signoff.contracts.compile.plan_gaps import Compiled, GapCode, PlanGap
from signoff.contracts.compile.plan_reader import compile_plan
from signoff.contracts.compile.refresh import refresh
from signoff.contracts.compile.upgrade import upgrade
from signoff.contracts.files.contract_seal import SEAL, broken_seal
from signoff.contracts.files.document_files import read_contract
from signoff.contracts.files.plan_contract_format import contract_beside
from signoff.domain.base.errors import ConflictError, UsageError
from signoff.text.json.camel_case import JsonObject
from signoff.wiring import written_at


class _ExistingContract(NamedTuple):
    """The contract that is there already, and what was changed to bring it to this version."""

    raw: JsonObject
    changes: tuple[str, ...] = ()


def compile_file(options: Options, say: Output) -> int:
    """Compile the plan and write the contract. With gaps nothing is written.

    A sealed contract is only replaced with --refresh or --upgrade, which keep what the contract alone knows.
    """
    plan = read_file(options.file)
    output = _output(options)
    compiled = compile_plan(plan, generated_at=written_at(options.file))
    changes: tuple[str, ...] = ()
    if options.refresh or options.upgrade:
        old = _read_old(output, upgrading=options.upgrade)
        compiled, changes = refresh(old.raw, compiled), old.changes
    elif output:
        _refuse_sealed(output)
    ok = not compiled.gaps
    if ok and output:
        if not (options.refresh or options.upgrade) and os.path.exists(output):
            say.note(f"{output} was there and is replaced; --refresh keeps what only the contract knows")
        replace_file(output, json_text(compiled.contract))
    document = {
        "ok": ok,
        "contract": compiled.contract,
        "output": output if ok else None,
        "warnings": [gap._asdict() for gap in compiled.warnings],
        "gaps": [gap._asdict() for gap in compiled.gaps],
        "upgraded": changes,
    }
    say.result(document, "" if output or not ok else as_document(compiled.contract).rstrip("\n"))
    _print_notes(say, options.file, output, compiled, changes)
    if any(gap.code in (GapCode.TOO_LARGE, GapCode.NOT_UTF8) for gap in compiled.gaps):
        return 2
    return 0 if ok else 1


def _output(options: Options) -> str:
    """Return where the contract goes. Empty stands for standard output."""
    if options.output:
        return str(options.output)
    if not (options.refresh or options.upgrade):
        return ""
    beside = contract_beside(os.path.basename(options.file))
    if not beside:
        raise UsageError(
            "the contract to refresh is not named",
            slug="usage",
            fix=f"signoff contract compile {options.file} -o FILE --refresh",
        )
    return os.path.join(os.path.dirname(options.file), beside)


def _refuse_sealed(path: str) -> None:
    """Raise if the file holds a sealed contract. Replacing it is a decision, made with --refresh."""
    if not os.path.isfile(path):
        return
    raw = read_contract(read_file(path)).raw
    if raw is not None and raw.get(SEAL):
        raise ConflictError(
            f"{path} is sealed",
            slug="contract-sealed",
            why="compiling over it would lose what was agreed on",
            fix="--refresh keeps what only the contract knows; or name another file",
        )


def _read_old(path: str, *, upgrading: bool) -> _ExistingContract:
    data = read_file(path)
    document = read_contract(data)
    if document.raw is None:
        raise unusable(path, document.violations, "contract-unreadable", "cannot be read as a contract")
    broken = broken_seal(document.raw)
    if broken is not None:
        raise ConflictError(f"{path} must not be used: {broken.message}", slug=broken.code, fix=broken.fix)
    if not upgrading:
        if document.value is None:
            raise unusable(path, document.violations, "contract-invalid", "is not a contract of this version")
        return _ExistingContract(document.raw)
    done = upgrade(document.raw)
    if done.violations:
        raise unusable(path, done.violations, "contract-invalid", "cannot be upgraded")
    return _ExistingContract(done.contract, done.changes)


def _print_notes(say: Output, plan: str, output: str, compiled: Compiled, changes: tuple[str, ...]) -> None:
    for change in changes:
        say.note(f"upgraded: {change}")
    for warning in compiled.warnings:
        say.note(_gap_line("warning", plan, warning))
    for gap in compiled.gaps:
        say.note(_gap_line("gap", plan, gap))
    if compiled.gaps:
        count = len(compiled.gaps)
        say.note(f"{plan}: {count} gap{'s' if count > 1 else ''}; no contract was written")
    elif output:
        say.note(f"wrote {output}")


def _gap_line(word: str, plan: str, gap: PlanGap) -> str:
    return f"{plan}:{gap.line}: {word}[{gap.code}] {gap.message}; {gap.fix}"
