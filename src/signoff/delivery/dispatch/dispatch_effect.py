"""Hand a directive to an agent, and parse its answer once, at the edge."""

import posixpath
from contextlib import nullcontext

import msgspec

from signoff.delivery.budget.dispatch_cost import priced
from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.outside_changes import OpenDispatch, settled_dispatches, with_findings
from signoff.delivery.dispatch.agent_prompt import PromptRole, compose, role_of
from signoff.delivery.dispatch.failure_details import with_details
from signoff.delivery.dispatch.fallback_chain import alone
from signoff.domain.base.violations import Violation
from signoff.domain.ports import Agent
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.confinement import is_fenced
from signoff.domain.run.directive_answers import answer_type, raw_answer_type
from signoff.domain.run.directives import (
    Directive,
    Evaluation,
    QuestionAsked,
    RawPlanProposed,
    WorkBlocked,
    WorkDone,
)
from signoff.domain.run.effects import Dispatch
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Delegated,
    Interrupted,
    Outcome,
)
from signoff.domain.work.settings import AgentSettings, RoleSettings
from signoff.engine.run.confinement_check import box_of
from signoff.text.json.decode import decode
from signoff.text.truncation import short

_LONGEST_QUESTION = 1000
_LONGEST_DETAIL = 300
_LONGEST_OPTION = 120
_MOST_OPTIONS = 9


class ParsedAnswer(msgspec.Struct, frozen=True):
    """A well-formed answer: its tag, and the question it asks if it asks one."""

    kind: str
    question: str = ""
    options: tuple[str, ...] = ()


def dispatch(job: DeliveryJob, effect: Dispatch) -> Outcome | None:
    """Dispatch a directive to the agent in a fresh checkout. Return None if the run was stopped meanwhile."""
    job.kit.repository.checkout(job.checkout_name(effect.key), effect.start)
    agent, request = _agent(job, effect), _request(job, effect)
    with job.in_flight.working(effect.key, agent, request) if job.in_flight else nullcontext():
        reply, watch = _watched(job, effect, agent, request)
    outcome = _outcome(job, effect, _priced(job, request, reply))
    return with_findings(outcome, reply, effect.directive, watch)


def _watched(
    job: DeliveryJob, effect: Dispatch, agent: Agent, request: AgentRequest
) -> tuple[AgentReply, OpenDispatch | None]:
    """Let the agent work. Return a `OpenDispatch` with its reply if no fence confined it."""
    box = request.sandbox
    if job.lookout is None or box is None or is_fenced(box, job.kit.processes.offer):
        return agent.dispatch(request), None
    repository = job.kit.repository
    ended = settled_dispatches(job.state())
    settled = tuple(repository.checkout_path(job.checkout_name(key)) for key in ended)
    with job.lookout.over(
        effect.key, lambda: repository.look_around(job.folder.run_id, request.checkout, settled)
    ) as watch:
        reply = agent.dispatch(request)
    return reply, watch


def recover_dispatch(job: DeliveryJob, effect: Dispatch) -> Outcome | None:
    """Adopt a finished dispatch. One that was in flight is interrupted, and counts as spent."""
    request = _request(job, effect)
    agent = _agent(job, effect)
    if not agent.was_started(request):
        return None
    reply = agent.recover(request)
    if reply is None or reply.stopped:
        return Interrupted(sandbox=reply.sandbox if reply else None)
    outcome = _outcome(job, effect, _priced(job, request, reply))
    # What lies around it cannot be compared: anybody may have changed it since the driver died.
    return with_findings(outcome, reply, effect.directive, None)


def parse_answer(directive: Directive, data: bytes) -> ParsedAnswer | str:
    """Parse an agent's answer by the schema of its directive, or return what is wrong with it.

    Each kind of answer is one case. Texts are cut to the size of a record.
    """
    decoded = decode(data, raw_answer_type(directive.payload))
    match decoded.value:
        case RawPlanProposed():
            return ParsedAnswer("plan")
        case WorkDone():
            return ParsedAnswer("done")
        case Evaluation():
            return ParsedAnswer("evaluation")
        case QuestionAsked(question=question, options=options):
            return ParsedAnswer(
                "question",
                short(question, _LONGEST_QUESTION),
                tuple(short(option, _LONGEST_OPTION) for option in options[:_MOST_OPTIONS]),
            )
        case WorkBlocked(reason=reason):
            return ParsedAnswer("blocked", short(reason, _LONGEST_QUESTION))
        case _:
            return "; ".join(f"{v.path or '/'}: {v.message}" for v in decoded.violations) or "no answer"


def answer_faults(directive: Directive, data: bytes) -> tuple[Violation, ...]:
    """Check an answer, a proposed contract included, against its whole schema and return every violation.

    `/directive` is left out: an answer may name its directive, and the schema does not know that field.
    """
    kinds = answer_type(directive.payload)
    return tuple(fault for fault in decode(data, kinds).violations if fault.path != "/directive")


def _agent(job: DeliveryJob, effect: Dispatch) -> Agent:
    """Return the agent of the directive's role, or the one asked instead. A cassette plays all of them."""
    if effect.agent and not job.is_replay:
        return job.kit.agents.open(effect.agent, alone(job.settings), None)
    return job.roles.get(role_of(effect.directive), job.agent)


def _request(job: DeliveryJob, effect: Dispatch) -> AgentRequest:
    settings = alone(job.settings).agent if effect.agent else job.settings.agent
    role = RoleSettings() if effect.agent else _role(settings, effect.directive)
    texts = job.kit.prompts()
    directive = with_details(job, effect.directive)
    checkout = job.kit.repository.checkout_path(job.checkout_name(effect.key))
    logs = job.folder.log_path(effect.key)
    home = f"{logs}.home"
    return AgentRequest(
        directive=directive,
        budget_usd=effect.budget_usd,
        checkout=checkout,
        logs=logs,
        home=home,
        sandbox=box_of(_agent(job, effect), job.settings.sandbox, checkout, home),
        timeout_s=settings.timeout_s,
        silence_s=settings.silence_s,
        prompt=compose(texts, directive).text if texts else "",
        model=role.model or settings.model,
        effort=role.effort or settings.effort,
    )


def _priced(job: DeliveryJob, request: AgentRequest, reply: AgentReply) -> AgentReply:
    """Price what it used, once and here: the journal must not depend on a table that may change."""
    if reply.usage is None or job.is_replay:  # a cassette holds the price as it was
        return reply
    usage = priced(reply.usage, request.model, job.settings.prices, job.kit.prices())
    return msgspec.structs.replace(reply, usage=usage)


def _role(settings: AgentSettings, directive: Directive) -> RoleSettings:
    roles = {
        PromptRole.PLANNER: settings.planner,
        PromptRole.BUILDER: settings.builder,
        PromptRole.EVALUATOR: settings.evaluator,
    }
    return roles[role_of(directive)]


def _outcome(job: DeliveryJob, effect: Dispatch, reply: AgentReply) -> Outcome | None:
    if reply.stopped:
        return None
    if reply.delegated:
        directive = job.folder.blobs.put(msgspec.json.encode(with_details(job, effect.directive)))
        checkout = job.kit.repository.checkout_path(job.checkout_name(effect.key))
        return Delegated(checkout=posixpath.relpath(checkout, job.kit.root), directive=directive)
    if reply.failure is not None or reply.answer is None:
        parsed: ParsedAnswer | str = reply.detail
    else:
        parsed = parse_answer(effect.directive, reply.answer)
    if isinstance(parsed, str) or reply.answer is None:
        return AgentFailed(
            failure=reply.failure or AgentFailure.MALFORMED_ANSWER,
            detail=short(str(parsed), _LONGEST_DETAIL),
            failure_class=reply.failure_class,
            retryable=None if reply.failure_class is None else reply.retryable,
            retry_after_s=reply.retry_after_s,
            usage=reply.usage,
            agent=effect.agent,
            sandbox=reply.sandbox,
        )
    return AgentAnswered(
        answer=job.folder.blobs.put(reply.answer),
        kind=parsed.kind,
        question=parsed.question,
        options=parsed.options,
        usage=reply.usage,
        agent=effect.agent,
        sandbox=reply.sandbox,
    )
