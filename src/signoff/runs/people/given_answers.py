"""A person's answers, a host's submissions, a stop: recorded at once, or left for the driver."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from signoff.delivery.dispatch.dispatch_effect import answer_faults, parse_answer
from signoff.delivery.flow.plan_step import APPROVE, REJECT
from signoff.domain.base.errors import ConflictError, UsageError, WaitingError
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.ports import RunFolder
from signoff.domain.run.directives import Directive
from signoff.domain.run.events import Answered, Claimed, Event, How, StopRequested
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import load
from signoff.engine.run_state import State
from signoff.runs.state.flow_choice import is_hosted, survey
from signoff.runs.state.run_views import record_event
from signoff.text.json.decode import decode

_LONGEST_ANSWER = 2000
_CLOSED = (HaltCode.AGENT_FAILED, HaltCode.BUDGET_USED_UP, HaltCode.DESTRUCTIVE_INTENT)
"""Here nothing but an option is an answer."""
_APPROVALS = {APPROVE: APPROVE, "yes": APPROVE, "y": APPROVE, REJECT: REJECT, "no": REJECT, "n": REJECT}
"""Plain words for yes and no. Any other text is a refusal with its reason."""
_SLIPS = (".slip", ".regex.slip")
"""Behind the name of an effect's logs: each program that it may have started."""
_AWAITED = {HaltKind.PERSON: "a person", HaltKind.AGENT: "an agent"}


class PersonWord(NamedTuple):
    """The author of an answer, and how it came in."""

    by: str
    how: How


class AnswerReceipt(NamedTuple):
    """Whether an answer or a submission was accepted, and why not."""

    accepted: bool
    halt: HaltId
    answer: str = ""
    violations: tuple[Violation, ...] = ()
    relayed: bool = False
    """It is in the inbox of a running driver, which records it."""


class _Naming(Record, frozen=True, kw_only=True):
    directive: str = ""


def answer(kit: Kit, folder: RunFolder, halt_id: str | None, text: str, word: PersonWord) -> AnswerReceipt:
    """Answer a halt that waits for a person. An option may be named by its number."""
    state = _open_state(folder)
    halts = survey(state, folder.blobs.get).halts
    halt_id = _full_name(halts, halt_id)
    if halt_id in state.answers and halt_id not in {halt.id for halt in halts}:
        raise _answered_meanwhile(folder, halt_id)
    if halt_id is None and text.strip() in {halt.id for halt in halts}:
        raise UsageError(
            f"{text.strip()} names a halt; the answer is missing",
            slug="answer-empty",
            fix=f"signoff answer {folder.run_id} {text.strip()} ANSWER",
        )
    halt = _given_up(state, halts, halt_id, text.strip()) or _choose(folder, halts, HaltKind.PERSON, halt_id)
    chosen = _chosen(halt, text.encode("utf-8", "replace").decode().strip())
    if chosen in halt.terminal_only and word.how is not How.TERMINAL:
        raise WaitingError(
            f"“{chosen}” was not taken for an answer",
            slug="answer-needs-terminal",
            why="relayed input can neither reset a cap, approve weaker checks nor confirm destruction",
            fix=f"signoff answer {folder.run_id} {halt.id} {chosen!r}, in a terminal",
        )
    event = Answered(halt=halt.id, answer=chosen, by=word.by, how=word.how)
    relayed = _record(kit, folder, "answer", event)
    return AnswerReceipt(accepted=True, halt=halt.id, answer=chosen, relayed=relayed)


def unanswerable(folder: RunFolder, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names under which no halt is open for a person.

    A file of answers is taken as a whole, so the caller refuses all of it if one name is returned.
    """
    halts = survey(_open_state(folder), folder.blobs.get).halts
    known = {halt.id for halt in halts if halt.kind is HaltKind.PERSON}
    return tuple(name for name in names if _full_name(halts, name) not in known)


def _full_name(halts: tuple[Halt, ...], name: str | None) -> str | None:
    """Return the id of the only open halt that ends in `/name`, else the name unchanged: `Q1` is enough."""
    ids = [halt.id for halt in halts]
    found = [one for one in ids if name and one.endswith(f"/{name}")]
    return found[0] if len(found) == 1 and name not in ids else name


def _given_up(state: State, halts: tuple[Halt, ...], name: str | None, text: str) -> Halt | None:
    """Return the halt of a hosted run that a person answers with its last option, which ends the run.

    Such a halt waits for an agent. Without a name it is chosen only if no halt waits for a person.
    """
    if not is_hosted(state) or (name is None and any(halt.kind is HaltKind.PERSON for halt in halts)):
        return None
    waiting = (halt for halt in halts if halt.kind is HaltKind.AGENT and name in (None, halt.id))
    # The last option gives up.
    return next(
        (halt for halt in waiting if halt.options and text in (halt.options[-1], str(len(halt.options)))),
        None,
    )


def submit(
    kit: Kit, folder: RunFolder, data: bytes, word: PersonWord, key: str | None = None
) -> AnswerReceipt:
    """Hand in a directive's answer. It is a claim: the files of the checkout are what counts.

    The directive is named by `key`, or by the answer itself, or is the only one that is open.
    """
    state = _open_state(folder)
    halts = survey(state, folder.blobs.get).halts
    named = decode(data, _Naming).value
    halt = _choose(folder, halts, HaltKind.AGENT, key or (named.directive if named is not None else None))
    if is_hosted(state):
        return _submit_slice(kit, folder, state, halt, data, word)
    assert halt.directive is not None
    directive = msgspec.json.decode(folder.blobs.get(halt.directive), type=Directive)
    faults = answer_faults(directive, data)
    parsed = parse_answer(directive, data)
    if isinstance(parsed, str) or any(fault.severity is Severity.ERROR for fault in faults):
        return AnswerReceipt(accepted=False, halt=halt.id, violations=faults)
    event = Claimed(
        key=EffectKey(halt.id),
        answer=folder.blobs.put(data),
        kind=parsed.kind,
        by=word.by,
        question=parsed.question,
        options=parsed.options,
    )
    relayed = _record(kit, folder, "claim", event)
    return AnswerReceipt(accepted=True, halt=halt.id, answer=parsed.kind, violations=faults, relayed=relayed)


def _submit_slice(
    kit: Kit, folder: RunFolder, state: State, halt: Halt, data: bytes, word: PersonWord
) -> AnswerReceipt:
    """Hand in what a host would write into its state file."""
    from signoff.hosted.flow.hosted_view import HostedView
    from signoff.hosted.slice_submission import slice_claim

    made = slice_claim(HostedView(state, folder.blobs.get), folder.blobs, halt, data, word.by)
    if not isinstance(made, Claimed):
        return AnswerReceipt(accepted=False, halt=halt.id, violations=made)
    relayed = _record(kit, folder, "claim", made)
    return AnswerReceipt(accepted=True, halt=halt.id, answer=halt.verb, relayed=relayed)


def stop(kit: Kit, folder: RunFolder, word: PersonWord) -> bool:
    """Stop a run and clean up after a driver that died. Return False if it had ended already."""
    if load(folder).ended is not None:
        return False
    _record(kit, folder, "stop", StopRequested(by=word.by, how=word.how))
    if not folder.is_locked():
        with folder.lock():
            for key in load(folder).open:
                for slip in _SLIPS:
                    kit.processes.recover(folder.log_path(key, slip))
    return True


def _record(kit: Kit, folder: RunFolder, kind: str, event: Event) -> bool:
    """Record an event, or leave it for the driver that holds the run. Return True if it was left."""
    try:
        with folder.lock():
            state = load(folder)
            if isinstance(event, StopRequested) and state.stopping:
                return False
            _must_fit(folder, state, event)
            record_event(kit, folder, state, event)
    except ConflictError as error:
        if error.slug != "run-locked":
            raise
        folder.drop(kind, msgspec.json.encode(event))
        return True
    return False


def _must_fit(folder: RunFolder, state: State, event: Event) -> None:
    """Check the event again under the lock: another command may have been faster."""
    _must_be_open(folder, state)
    if not isinstance(event, Answered | Claimed):
        return
    name = event.halt if isinstance(event, Answered) else HaltId(event.key)
    if name not in {halt.id for halt in survey(state, folder.blobs.get).halts}:
        raise _answered_meanwhile(folder, name)


def _answered_meanwhile(folder: RunFolder, name: str) -> ConflictError:
    return ConflictError(
        f"{name} was answered meanwhile",
        slug="halt-unknown",
        why="another command was faster; the first word counts",
        fix=f"signoff runs resume {folder.run_id}",
    )


def _open_state(folder: RunFolder) -> State:
    state = load(folder)
    _must_be_open(folder, state)
    return state


def _must_be_open(folder: RunFolder, state: State) -> None:
    if state.ended is not None:
        raise ConflictError(
            f"run {folder.run_id} has ended",
            slug="run-ended",
            why=f"its verdict is {state.ended.status}",
            fix=f"signoff report {folder.run_id}",
        )


def _choose(folder: RunFolder, halts: tuple[Halt, ...], kind: HaltKind, name: str | None) -> Halt:
    """Return the one open halt that is meant, by its name or because it is the only one of its kind.

    A name counts only among halts of this kind, and several halts without a name are an error: no answer is
    ever guessed to belong to a halt.
    """
    alike = [halt for halt in halts if halt.kind is kind]
    found = [halt for halt in alike if not name or halt.id == name]
    if len(found) == 1:
        return found[0]
    waiting = ", ".join(f"{halt.id} (for {_AWAITED[halt.kind]})" for halt in halts) or "nothing"
    if name:
        said = f"{name} is not open for {_AWAITED[kind]}"
    elif alike:
        said = f"run {folder.run_id} waits for {_AWAITED[kind]} in {len(alike)} places; say which"
    else:
        said = f"run {folder.run_id} does not wait for {_AWAITED[kind]}"
    raise UsageError(said, slug="halt-unknown", why=f"open: {waiting}", fix=f"signoff status {folder.run_id}")


def _chosen(halt: Halt, text: str) -> str:
    if not text:
        raise UsageError("the answer is empty", slug="answer-empty", fix="say something, or a number")
    if len(msgspec.json.encode(text)) > _LONGEST_ANSWER:
        raise UsageError(
            "the answer is too long", slug="answer-too-long", why=f"at most {_LONGEST_ANSWER} bytes are kept"
        )
    if text.isdecimal() and halt.options:
        number = int(text)
        if not 1 <= number <= len(halt.options):
            raise UsageError(
                f"there is no option {number}",
                slug="answer-unknown",
                why=f"the options are 1 to {len(halt.options)}",
            )
        return halt.options[number - 1]
    if halt.code in _CLOSED and text not in halt.options:
        options = ", ".join(halt.options)
        raise UsageError(f"{text!r} is no option", slug="answer-unknown", why=f"options: {options}")
    if halt.code is HaltCode.PLAN_APPROVAL:
        return _APPROVALS.get(text.lower(), text)
    return text
