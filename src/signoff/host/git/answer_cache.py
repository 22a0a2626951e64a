"""Answers of git that cannot change, kept while the process lives: asking again costs a process each time.

Only for questions about objects named by their id. Threads may share one; two that ask at once both ask.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The latest answers, at most `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[str, ...], T] = {}

    def get(
        self, question: tuple[str, ...], ask: Callable[[], T], worth: Callable[[T], bool] | None = None
    ) -> T:
        """Give the answer, asking where it is not known; one that is not `worth` it is not kept."""
        known = self._found.get(question)
        if known is not None:
            return known
        answer = ask()
        if worth is None or worth(answer):
            known_so_far = list(self._found)  # one step of the interpreter: other threads may be at it
            for oldest in known_so_far[: max(0, len(known_so_far) + 1 - self._most)]:
                self._found.pop(oldest, None)
            self._found[question] = answer
        return answer
