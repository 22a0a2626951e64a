"""What a dispatch cost: told, or computed from what is known, or unknown."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.delivery.budget.dispatch_cost import cost_usd, price_of, priced
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.outcomes import Usage
from signoff.domain.work.budgets import ListedPrice, Price, PriceList
from signoff.wiring import price_list

LISTED = PriceList(
    prices=(
        ListedPrice(
            models=("model-1", "model-1-20*"), input=1.0, output=10.0, cache_read=0.1, cache_write=2.0
        ),
        ListedPrice(models=("model-1-mini*",), input=0.5, output=1.0),
    )
)
WHOLE = Usage(
    input_tokens=1_000_000, output_tokens=100_000, cached_tokens=2_000_000, cache_write_tokens=500_000
)


def test_tokens_times_price_is_what_it_cost() -> None:
    """Each kind of token has its own price."""
    found = priced(msgspec.structs.replace(WHOLE, model="model-1"), "", {}, LISTED)
    assert found.cost_usd == pytest.approx(1.0 + 1.0 + 0.2 + 1.0)
    assert found.priced


def test_what_the_agent_says_it_cost_counts_for_more_than_the_table() -> None:
    """It knows its contract; the table does not."""
    told = msgspec.structs.replace(WHOLE, model="model-1", cost_usd=0.5)
    assert priced(told, "", {}, LISTED) == told


@pytest.mark.parametrize(
    "usage",
    [
        Usage(input_tokens=5, output_tokens=5, model="model-2"),
        Usage(input_tokens=5, output_tokens=5),
        Usage(input_tokens=5, model="model-1"),
        Usage(output_tokens=5, model="model-1"),
        Usage(input_tokens=5, output_tokens=5, model="model-1", basis=UsageBasis.SESSION),
        Usage(input_tokens=5, output_tokens=5, cached_tokens=1, model="model-1-mini"),
        Usage(input_tokens=5, output_tokens=5, cache_write_tokens=1, model="model-1-mini"),
        Usage(),
    ],
)
def test_what_is_not_known_is_not_guessed(usage: Usage) -> None:
    """An invented price would be believed."""
    assert priced(usage, "", {}, LISTED) == usage


def test_the_model_that_was_asked_for_counts_where_the_agent_names_none() -> None:
    """Codex does not say which model it used."""
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    assert priced(usage, "model-1", {}, LISTED).cost_usd == pytest.approx(1.0)


def test_a_price_of_the_settings_wins_and_the_more_exact_name_wins_over_a_pattern() -> None:
    """A person knows their discount."""
    own = {"model-*": Price(input=7, output=7), "model-1": Price(input=8, output=8)}
    assert price_of("model-1", own, LISTED) == own["model-1"]
    assert price_of("model-1-mini", own, LISTED) == own["model-*"]
    assert price_of("model-1-20260101", {}, LISTED) == price_of("model-1", {}, LISTED)
    assert price_of("model-1-max", {}, LISTED) is None


def test_brackets_and_dots_in_a_name_are_only_themselves() -> None:
    """`sonnet[1m]` is a name, and `gpt-5.1` is not `gpt-5x1`."""
    own = {"sonnet[1m]": Price(input=1, output=1), "gpt-5.1": Price(input=2, output=2)}
    assert price_of("sonnet[1m]", own, PriceList()) is not None
    assert price_of("sonnet1", own, PriceList()) is None
    assert price_of("gpt-5x1", own, PriceList()) is None


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(0, 10**12))
def test_more_tokens_never_cost_less(read: int, written: int, cached: int) -> None:
    """A budget counts on it."""
    price = Price(input=1.25, output=10, cache_read=0.125)
    less = cost_usd(Usage(input_tokens=read, output_tokens=written, cached_tokens=cached), price)
    more = cost_usd(Usage(input_tokens=read + 1, output_tokens=written, cached_tokens=cached), price)
    assert less is not None
    assert more is not None
    assert 0 <= less <= more


def test_the_built_in_table_has_one_price_for_each_name_and_is_dated() -> None:
    """Two lines for one model would be decided by chance."""
    table = price_list()
    names = [name for entry in table.prices for name in entry.models]
    assert len(names) == len(set(names))
    assert table.as_of > "2026"
    assert price_of("claude-sonnet-4-5-20250929", {}, table) == Price(
        input=3, output=15, cache_read=0.3, cache_write=3.75
    )
    assert price_of("gpt-5-codex", {}, table) == Price(input=1.25, output=10, cache_read=0.125)
    assert price_of("claude-opus-5-5", {}, table) is None
    assert all(entry.input <= entry.output for entry in table.prices)
