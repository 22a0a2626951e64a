"""`verification.md`: what running the checks of a contract gave, as a person reads it. Pure."""

from collections.abc import Iterator

from signoff.domain.contract import Contract
from signoff.domain.receipts import Result
from signoff.domain.verification import Verification, VerifiedClause
from signoff.render.text import cell

_WORDS = {Result.PASS: "pass", Result.FAIL: "FAIL", Result.PARTIAL: "could not be judged"}
_TAIL_LINES = 20


def verification_page(contract: Contract, found: Verification) -> str:
    """Give the page: the verdict first, then every clause, then what the failing ones said."""
    return "\n".join(_lines(contract, found)) + "\n"


def _lines(contract: Contract, found: Verification) -> Iterator[str]:
    yield f"# Verification: {_WORDS[found.verification_result]}"
    yield ""
    yield f"{cell(contract.goal)}"
    yield ""
    yield f"- contract: `{found.contract}`" + (f", task {found.task} only" if found.task else "")
    yield f"- tree: `{found.tree}`" + (f", compared with `{found.base}`" if found.base else "")
    yield f"- from {found.started_at} to {found.ended_at}"
    yield from (f"- not part of the tree: {cell(one)}" for one in found.unreadable)
    if found.changed:
        yield f"- changed while the checks ran: {cell(', '.join(found.changed))}"
    yield from ("", "| clause | result | what was seen |", "|---|---|---|")
    for clause in found.clauses:
        yield f"| `{cell(clause.id)}` {cell(clause.text)} | {_WORDS[clause.result]} | {_seen(clause)} |"
    for clause in found.clauses:
        yield from _output(clause)
    if found.needs_review:
        yield from ("", "## Needs a person or a reviewer", "", "No command here can show these.", "")
        yield from (f"- `{cell(item.id)}` {cell(item.text)}: {item.why}" for item in found.needs_review)


def _seen(clause: VerifiedClause) -> str:
    reason = f" ({clause.failure_reason})" if clause.failure_reason else ""
    return cell(clause.detail) + reason


def _output(clause: VerifiedClause) -> Iterator[str]:
    if clause.output is None:
        return
    for name, text in (("stdout", clause.output.stdout), ("stderr", clause.output.stderr)):
        kept = text.rstrip("\n").split("\n")[-_TAIL_LINES:]
        if text.strip():
            yield from ("", f"## `{cell(clause.id)}`, the last of {name}", "")
            # Indented, not fenced: whatever a program prints cannot end such a block.
            yield from (f"    {line}" for line in kept)
