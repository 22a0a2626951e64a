"""The signed-off statement, an in-toto Statement whose subject is the tree. Pure records."""

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, CommitId, Digest, EffectKey, RunId, TreeId
from signoff.domain.evidence.verdict import ClauseVerdict
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.run.events import How

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:signoff:delivery:v1"


class Subject(Record, frozen=True, kw_only=True):
    """What the statement is about: a git tree, under in-toto's digest name `gitTree`."""

    name: str
    digest: dict[str, str]


class ReceiptRef(Record, frozen=True, kw_only=True):
    """A receipt by its key and by the digest of its file."""

    key: EffectKey
    digest: Digest


class Waiver(Record, frozen=True, kw_only=True):
    """A clause a person overruled."""

    clause: ClauseId
    reason: str
    by: str
    how: How


class AgentRun(Record, frozen=True, kw_only=True):
    """One dispatch of the run."""

    key: EffectKey
    agent: str
    was: str
    sandbox: Level | None = None
    """The confinement that held while it worked, or None if no program ran or it is not known."""


class JournalHead(Record, frozen=True, kw_only=True):
    """The record the certificate was written at."""

    run: RunId
    seq: int
    sum: str


class Predicate(Record, frozen=True, kw_only=True):
    """What was agreed, what was seen, who approved and how far it can be believed."""

    run: RunId
    ticket: str
    contract: Digest
    base: CommitId
    commit: CommitId
    tree: TreeId
    level: str
    """`witnessed`, `observed` or `none`."""
    approver: str
    """Who approved the contract: `person`, `policy` or `nobody`."""
    clauses: tuple[ClauseVerdict, ...]
    receipts: tuple[ReceiptRef, ...]
    waivers: tuple[Waiver, ...]
    agent_runs: tuple[AgentRun, ...]
    journal: JournalHead
    engine_version: str


class Certificate(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"type_": "_type", "predicate_type": "predicateType"},
):
    """An in-toto Statement, version 1."""

    type_: str
    subject: tuple[Subject, ...]
    predicate_type: str
    predicate: Predicate
