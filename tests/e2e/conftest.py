"""Fixtures of the command line tests: see `clibench`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from clibench import Bench, deliver, empty_bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A repository with one commit."""
    made = empty_bench(tmp_path)
    made.commit(README="A tiny repository\n")
    return made


@pytest.fixture
def new_bench(tmp_path: Path) -> Callable[[str], Bench]:
    """Make a repository without commits in a folder of that name."""
    return lambda name: empty_bench(tmp_path, name)


@pytest.fixture(scope="session")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A repository with one run, signed off. Shared: tests may look, not touch."""
    made = empty_bench(tmp_path_factory.mktemp("delivered"))
    made.commit(README="A tiny repository\n")
    ended = deliver(made)
    assert ended.code == 0, ended.err
    return made
