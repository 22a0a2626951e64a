"""How model, effort and mode of a session are chosen by the protocol. Pure.

There are two ways: options of the session, and the older list of models. A model that is asked for and
not on offer is a problem a person must hear of. An effort or a mode that is not on offer is left alone.
"""

from typing import NamedTuple

import msgspec

from signoff.agents.acp.messages import lenient
from signoff.agents.profiles.acp_client_input import PromptOrder


class SessionChoice(NamedTuple):
    """What is to be asked of a session before its prompt."""

    model: str
    """The model that it will use, where it says so."""
    requests: tuple[tuple[str, dict[str, str]], ...] = ()
    problem: str = ""


class _Value(msgspec.Struct):
    value: str = ""
    options: list["_Value"] = []


class _Option(msgspec.Struct, rename="camel"):
    id: str = ""
    category: str | None = None
    current_value: object = None
    options: list[_Value] = []

    @property
    def values(self) -> list[str]:
        """Everything on offer, in groups or not."""
        return [each.value for offer in self.options for each in (offer, *offer.options) if each.value]


class _Model(msgspec.Struct, rename="camel"):
    model_id: str = ""


class _Models(msgspec.Struct, rename="camel"):
    available_models: list[_Model] = []
    current_model_id: str = ""


class _SessionState(msgspec.Struct, rename="camel"):
    config_options: list[_Option] | None = None
    models: _Models | None = None


def choose_model(made: object, order: PromptOrder) -> SessionChoice:
    """Return what to ask of a session, from the answer to `session/new`.

    An option of the session comes before the older list of models. A model that is set is not set again.
    """
    session = lenient(made, _SessionState) or _SessionState()
    option = _of(session, "model")
    models = session.models or _Models()
    now = str(option.current_value or "") if option else models.current_model_id
    requests = [("session/set_mode", {"modeId": order.mode})] if order.mode else []
    effort = _of(session, "thought_level")
    if order.effort and effort and order.effort in effort.values:
        requests.append(_set(effort.id, order.effort))
    if not order.model or order.model == now:
        return SessionChoice(now, tuple(requests))
    if option and order.model in option.values:
        return SessionChoice(order.model, (*requests, _set(option.id, order.model)))
    offered = [model.model_id for model in models.available_models]
    if order.model in offered:
        return SessionChoice(order.model, (*requests, ("session/set_model", {"modelId": order.model})))
    known = ", ".join(offered or (option.values if option else [])) or "none by the protocol"
    return SessionChoice(now, (), f"the model {order.model} is not on offer; on offer are {known}")


def _of(session: _SessionState, category: str) -> _Option | None:
    return next((each for each in session.config_options or () if each.category == category), None)


def _set(option: str, value: str) -> tuple[str, dict[str, str]]:
    return "session/set_config_option", {"configId": option, "value": value}
