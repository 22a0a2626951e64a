"""The ticket that a contract or a sprint stands for, so that it can be delivered. Pure."""

import msgspec
from msgspec.structs import replace

from signoff.domain.work.contract import Contract, Criterion
from signoff.domain.work.spec import Spec
from signoff.domain.work.sprints import Sprint
from signoff.domain.work.ticket import Ticket


def as_proposed(raw: bytes, contract: Contract) -> bytes:
    """Return a contract file as a planner would have proposed it.

    One in our spelling comes back as it is. Any other is written anew, without its seal, which is about
    other bytes.
    """
    try:
        msgspec.json.decode(raw, type=Contract)
    except msgspec.DecodeError:
        return msgspec.json.encode(replace(contract, seal=""))
    return raw


def ticket_for(contract: Contract, name: str) -> Ticket:
    """Return the ticket of a contract that came without one."""
    criteria = tuple(
        item.description if isinstance(item, Criterion) else item for item in contract.success_criteria
    )
    return Ticket(
        id=name, title=contract.goal, body=contract.why, acceptance_criteria=criteria, source="contract"
    )


def sprint_ticket(spec: Spec, sprint: Sprint) -> Ticket:
    """Return a sprint as the ticket that a planner makes a contract of."""
    parts = (
        ("", (sprint.description,)),
        (f"Part of {spec.title}", (spec.description,)),
        ("Not wanted", sprint.non_goals),
        ("Finished when", sprint.stop_conditions),
        ("Done means", (sprint.definition_of_done,)),
        ("Assumed", sprint.assumptions),
        ("Out of scope", sprint.out_of_scope),
        ("Files it may be about", sprint.estimated_files),
        ("Notes", tuple(note for note in (sprint.generator_notes,) if note)),
    )
    body = "\n\n".join(_part(title, lines) for title, lines in parts if any(lines))
    criteria = tuple(item.description for item in sprint.success_criteria)
    return Ticket(
        id=sprint.contract_id,
        title=sprint.title,
        body=body,
        acceptance_criteria=criteria,
        source=f"spec {spec.spec_id}",
    )


def _part(title: str, lines: tuple[str, ...]) -> str:
    if not title:
        return "\n".join(lines)
    return "\n".join((f"{title}:", *(f"- {line}" for line in lines)))
