"""A budget on the command line and in the settings."""

import pytest

from signoff.cli.shared.budgets import limits
from signoff.delivery.budget.budget_stage import Limits, pinned_budget
from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.work.budgets import Budget
from signoff.domain.work.settings import BudgetSettings
from signoff.project.settings.settings_reader import read_settings


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "five", "", "1e10", "1e-9"])
def test_what_is_no_sum_of_money_is_a_mistake(text: str) -> None:
    """A budget that never ends is none."""
    with pytest.raises(UsageError) as raised:
        limits(text, None)
    assert raised.value.slug == "budget-invalid"


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e6", "٣", "", "9" * 30])
def test_what_is_no_number_of_tokens_is_a_mistake(text: str) -> None:
    """Half a token is none."""
    with pytest.raises(UsageError):
        limits(None, text)


def test_what_is_named_is_read_and_the_rest_left_to_the_settings() -> None:
    """The flag wins over the setting, and only over its own."""
    assert limits("0.5", "1000") == Limits(0.5, 1000)
    pinned = pinned_budget(BudgetSettings(usd=3.0, tokens=50), limits("5", None))
    assert pinned == Budget(usd=5.0, tokens=50, reserve_usd=0.5, reserve_tokens=5)


def test_without_a_limit_there_is_no_budget() -> None:
    """A reservation alone limits nothing."""
    assert pinned_budget(BudgetSettings(reserve_usd=3.0), Limits()) is None


def test_a_budget_below_the_reservation_of_one_dispatch_is_a_mistake() -> None:
    """It could never start anything."""
    with pytest.raises(ConfigError) as raised:
        pinned_budget(BudgetSettings(reserve_usd=2.0), Limits(usd=1.0))
    assert raised.value.slug == "budget-too-small"


@pytest.mark.parametrize(
    "text", ["usd = inf", "usd = nan", "usd = -1", "warn_at = 2", "tokens = 0", "cap = 1"]
)
def test_settings_that_are_no_budget_are_a_mistake(text: str) -> None:
    """TOML knows numbers that are none."""
    assert read_settings(f"[budget]\n{text}\n".encode(), None).settings is None


def test_prices_are_read_by_the_name_of_the_model() -> None:
    """Whole numbers too; a price without its output is half a price."""
    good = read_settings(b'[prices."my-model*"]\ninput = 1\noutput = 2.5\n', None)
    assert good.settings is not None
    assert good.settings.prices["my-model*"].output == 2.5
    assert read_settings(b'[prices."my-model*"]\ninput = 1\n', None).settings is None
    assert read_settings(b'[prices."m"]\ninput = -1\noutput = 1\n', None).settings is None
