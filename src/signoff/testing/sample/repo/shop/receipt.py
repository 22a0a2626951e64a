"""What the customer takes home."""

from shop.pricing import Line


def receipt(basket: list[Line]) -> str:
    """List what was bought, one article a line."""
    return "\n".join(f"{line.quantity} x {line.name}" for line in basket)
