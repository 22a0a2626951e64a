"""Answers that cannot change are asked for once, and no more of them are kept than was said."""

from concurrent.futures import ThreadPoolExecutor

from signoff.host.git.answer_cache import Kept


class Asked:
    """A question whose answer is a capital letter, and which counts how often it is asked."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log

    def __call__(self) -> str:
        self.log.append(self.name)
        return self.name.upper()


def test_a_question_is_asked_once_while_its_answer_is_kept() -> None:
    asked: list[str] = []
    kept: Kept[str] = Kept(2)

    answers = [kept.get((name,), Asked(name, asked)) for name in "ababcca"]

    assert answers == list("ABABCCA")
    assert asked == ["a", "b", "c", "a"]


def test_an_answer_that_is_not_worth_it_is_asked_for_again() -> None:
    asked: list[str] = []
    kept: Kept[str] = Kept(2)

    for _ in range(2):
        kept.get(("a",), Asked("a", asked), worth=lambda found: found != "A")

    assert asked == ["a", "a"]


def test_threads_may_share_it() -> None:
    kept: Kept[str] = Kept(3)

    def ask(number: int) -> str:
        name = "abcdefg"[number % 7]
        return kept.get((name,), Asked(name, []))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(2000)))

    assert answers == ["ABCDEFG"[number % 7] for number in range(2000)]
