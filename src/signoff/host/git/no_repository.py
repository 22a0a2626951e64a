"""A folder in no repository, where a run that needs one cannot do anything."""

from typing import NoReturn

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import CommitId


class NoRepository:
    """Stands in for a repository when hosted runs are listed or shown. What needs a real one raises."""

    def __init__(self, root: str) -> None:
        self._root = root

    def published(self, name: str) -> CommitId | None:
        """Return None: there are no refs."""
        del name
        return None

    def __getattr__(self, name: str) -> NoReturn:
        raise ConfigError(
            f"{self._root} is not in a git repository",
            slug="not-a-repository",
            why=f"`{name}` needs one",
            fix="change into the repository, or make one: git init",
        )
