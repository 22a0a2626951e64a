"""What the receipt lists."""

from shop.pricing import Line
from shop.receipt import receipt


def test_every_article_is_listed_with_its_quantity() -> None:
    text = receipt([Line("Apples", 205, quantity=2), Line("Bread", 340)])

    assert "2 x Apples" in text
    assert "1 x Bread" in text


def test_articles_keep_their_order() -> None:
    text = receipt([Line("Bread", 340), Line("Apples", 205)])

    assert text.index("Bread") < text.index("Apples")
