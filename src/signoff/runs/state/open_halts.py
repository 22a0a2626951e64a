"""What a run waits for, with everything its answerer needs: the directive, its schema, the exact commands.

The same record is shown by every interface. A directive is also kept as a file of the run, so that a host
can hand a path to its agent.
"""

import posixpath
from collections.abc import Iterable
from typing import Any

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import HaltId, RunId
from signoff.domain.ports import RunFolder
from signoff.domain.run.directive_answers import schema_name, verb_of
from signoff.domain.run.directives import Directive, DirectivePayload, RawPlanProposed, Verb
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.schemas import schema
from signoff.domain.work.contract import Contract
from signoff.engine.run.halt_commands import halt_commands
from signoff.engine.run.kit import Kit


class OpenDirective(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Work that an agent is asked to do, and the JSON Schema of its answer."""

    verb: Verb
    payload: DirectivePayload
    schema: dict[str, Any]


class OpenHalt(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One open halt and how it is answered."""

    id: HaltId
    code: HaltCode
    kind: HaltKind
    step: str
    question: str
    options: tuple[str, ...]
    commands: tuple[str, ...]
    """The exact commands that answer it, one for each option if there are options."""
    terminal_only: tuple[str, ...] = ()
    """Options that count only when a person types them on a terminal."""
    checkout: str = ""
    """Absolute path of the folder the agent works in."""
    directive: OpenDirective | None = None
    directive_file: str = ""
    contract: Contract | None = None
    """The plan that a person is asked to approve."""


class DirectiveFile(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`directives/<key>.json`: one directive as an agent reads it."""

    key: HaltId
    verb: Verb
    payload: DirectivePayload
    schema: dict[str, Any]
    """Of the answer that is to be submitted."""
    checkout: str
    """Where to work, relative to the top of the repository."""
    submit: str
    """The command that hands the answer in."""


def open_halts(kit: Kit, folder: RunFolder, halts: Iterable[Halt]) -> tuple[OpenHalt, ...]:
    """Return the open halts of a run in full, those that wait for a person first."""
    halts = tuple(halts)
    write_directives(folder, folder.run_id, halts)
    found = [_open_halt(kit, folder, halt) for halt in halts]
    return tuple(sorted(found, key=lambda halt: halt.kind is not HaltKind.PERSON))


def write_directives(folder: RunFolder, run_id: RunId, halts: Iterable[Halt]) -> None:
    """Keep the open directives as files of the run. One that is there already is left alone."""
    for halt in halts:
        name = _file_name(halt)
        directive = _directive(folder, halt) if not folder.size(name) else None
        if directive is None:
            continue
        body = DirectiveFile(
            key=halt.id,
            verb=directive.verb,
            payload=directive.payload,
            schema=directive.schema,
            checkout=halt.checkout,
            submit=halt_commands(run_id, halt)[0],
        )
        folder.write(name, msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n")


def _open_halt(kit: Kit, folder: RunFolder, halt: Halt) -> OpenHalt:
    directive = _directive(folder, halt)
    return OpenHalt(
        id=halt.id,
        code=halt.code,
        kind=halt.kind,
        step=halt.step,
        question=halt.question,
        options=halt.options,
        commands=halt_commands(folder.run_id, halt),
        terminal_only=halt.terminal_only,
        checkout=posixpath.join(kit.root, halt.checkout) if halt.checkout else "",
        directive=directive,
        directive_file=folder.path(_file_name(halt)) if directive else "",
        contract=_contract(folder, halt),
    )


def _directive(folder: RunFolder, halt: Halt) -> OpenDirective | None:
    if halt.kind is not HaltKind.AGENT or halt.directive is None:
        return None
    payload = msgspec.json.decode(folder.blobs.get(halt.directive), type=Directive).payload
    return OpenDirective(verb=verb_of(payload), payload=payload, schema=schema(schema_name(payload)))


def _contract(folder: RunFolder, halt: Halt) -> Contract | None:
    if halt.code is not HaltCode.PLAN_APPROVAL or halt.directive is None:
        return None
    proposed = msgspec.json.decode(folder.blobs.get(halt.directive), type=RawPlanProposed)
    return msgspec.json.decode(bytes(proposed.contract), type=Contract)


def _file_name(halt: Halt) -> str:
    return f"directives/{halt.id}.json"
