"""A folder in no repository, where a run that needs one cannot do anything."""

from typing import NoReturn

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import CommitId


class NoRepository:
    """Stands in for a repository where hosted runs are looked at; whatever needs one says so."""

    def __init__(self, root: str) -> None:
        self._root = root

    def published(self, name: str) -> CommitId | None:
        """Give nothing: there are no refs."""
        del name
        return None

    def __getattr__(self, name: str) -> NoReturn:
        raise ConfigError(
            f"{self._root} is not in a git repository",
            slug="not-a-repository",
            why=f"this needs one ({name})",
            fix="change into the repository, or make one: git init",
        )
