"""A cache for answers of git that cannot change, because asking again costs a process each time.

Only for questions about objects named by their id. Threads may share one, and two that ask at once both ask.
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
        """Return the cached answer, or ask. An answer for which `worth` returns False is not cached."""
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
