"""How model, effort and mode are chosen by the protocol: two ways, and a model that is not there is said."""

from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.acp.session_options import choose_model
from signoff.agents.profiles.acp_client_input import PromptOrder

OPTIONS = {
    "configOptions": [
        {
            "id": "m",
            "category": "model",
            "currentValue": "small",
            "options": [{"value": "small"}, {"value": "big"}],
        },
        {"id": "t", "category": "thought_level", "currentValue": "low", "options": [{"value": "high"}]},
    ]
}
GROUPED = {
    "configOptions": [
        {
            "id": "m",
            "category": "model",
            "currentValue": "x",
            "options": [{"group": "g", "options": [{"value": "big"}]}],
        }
    ]
}
LIST = {"models": {"currentModelId": "small", "availableModels": [{"modelId": "small"}, {"modelId": "big"}]}}


def wanted(model: str = "", effort: str = "", mode: str = "") -> PromptOrder:
    return PromptOrder(prompt="", model=model, effort=effort, mode=mode)


def test_without_a_wish_it_is_left_as_it_is_and_its_model_is_known() -> None:
    assert choose_model(OPTIONS, wanted()) == ("small", (), "")
    assert choose_model(LIST, wanted(model="small")) == ("small", (), "")


def test_a_model_is_chosen_by_an_option_or_from_the_list() -> None:
    option = ("session/set_config_option", {"configId": "m", "value": "big"})

    assert choose_model(OPTIONS, wanted(model="big")) == ("big", (option,), "")
    assert choose_model(GROUPED, wanted(model="big")) == ("big", (option,), "")
    assert choose_model(LIST, wanted(model="big")).requests == (("session/set_model", {"modelId": "big"}),)


def test_an_effort_is_chosen_where_it_is_on_offer() -> None:
    effort = ("session/set_config_option", {"configId": "t", "value": "high"})

    assert choose_model(OPTIONS, wanted(effort="high")).requests == (effort,)
    assert choose_model(OPTIONS, wanted(effort="max")).requests == ()


def test_a_mode_is_set_first() -> None:
    methods = [method for method, _ in choose_model(LIST, wanted(model="big", mode="plan")).requests]

    assert methods == ["session/set_mode", "session/set_model"]


def test_a_model_that_is_not_on_offer_is_a_problem_not_another_model() -> None:
    """Work by a model that nobody asked for may cost ten times as much."""
    choice = choose_model(LIST, wanted(model="huge"))

    assert choice.requests == ()
    assert choice.problem == "the model huge is not on offer; on offer are small, big"
    assert "none by the protocol" in choose_model({}, wanted(model="huge")).problem


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["configOptions", "models", "id", "options", "category", "value"]), inner
        )
    ),
    max_leaves=10,
)


@given(JSON)
def test_any_answer_can_be_read(made: object) -> None:
    assert choose_model(made, wanted(model="big")).model != "big"
