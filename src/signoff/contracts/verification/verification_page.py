"""`verification.md`: what running the checks of a contract gave, as a person reads it. Pure."""

from collections.abc import Iterator

from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verification import Verification, VerifiedClause
from signoff.domain.work.contract import Contract
from signoff.text.markdown import cell, code, line, printed

_WORDS = {Result.PASS: "pass", Result.FAIL: "FAIL", Result.PARTIAL: "could not be judged"}
_TAIL_LINES = 20


def verification_page(contract: Contract, found: Verification) -> str:
    """Return the page: the verdict first, then every clause, then the output of those that did not pass."""
    return "\n".join(_lines(contract, found)) + "\n"


def _lines(contract: Contract, found: Verification) -> Iterator[str]:
    yield f"# Verification: {_WORDS[found.verification_result]}"
    yield ""
    yield line(contract.goal)
    yield ""
    yield f"- contract: {code(found.contract)}" + (f", task {line(found.task)} only" if found.task else "")
    yield f"- tree: {code(found.tree)}" + (f", compared with {code(found.base)}" if found.base else "")
    yield f"- from {found.started_at} to {found.ended_at}"
    yield from (f"- not part of the tree: {line(one)}" for one in found.unreadable)
    if found.changed:
        yield f"- changed while the checks ran: {line(', '.join(found.changed))}"
    yield from ("", "| clause | result | what was seen |", "|---|---|---|")
    for clause in found.clauses:
        yield f"| {code(clause.id)} {cell(clause.text)} | {_WORDS[clause.result]} | {_seen(clause)} |"
    for clause in found.clauses:
        yield from _output(clause)
    if found.needs_review:
        yield from ("", "## Needs a person or a reviewer", "", "No command here can show these.", "")
        yield from (f"- {code(item.id)} {line(item.text)}: {line(item.why)}" for item in found.needs_review)


def _seen(clause: VerifiedClause) -> str:
    reason = f" ({clause.failure_reason})" if clause.failure_reason else ""
    return cell(clause.detail) + reason


def _output(clause: VerifiedClause) -> Iterator[str]:
    if clause.output is None:
        return
    for name, text in (("stdout", clause.output.stdout), ("stderr", clause.output.stderr)):
        if kept := printed(text)[-_TAIL_LINES:]:
            yield from ("", f"## {code(clause.id)}, the last of {name}", "")
            # Indented, not fenced: whatever a program prints cannot end such a block.
            yield from (f"    {said}" for said in kept)
