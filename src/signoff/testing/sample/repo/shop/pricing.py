"""What a basket costs. Prices are whole cents."""

from typing import NamedTuple


class Line(NamedTuple):
    """One article in a basket."""

    name: str
    price: int
    quantity: int = 1


def total(basket: list[Line]) -> int:
    """Add up a basket."""
    return sum(line.price * line.quantity for line in basket)
