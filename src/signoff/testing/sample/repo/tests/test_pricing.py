"""Adding up."""

from shop.pricing import Line, total


def test_an_empty_basket_costs_nothing() -> None:
    assert total([]) == 0


def test_quantities_count() -> None:
    assert total([Line("Apples", 205, quantity=2), Line("Bread", 340)]) == 750
