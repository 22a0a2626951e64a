"""Find the edges that close a cycle. Pure. Nothing recurses, so a chain may be of any length."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

_NAMED: Final = 8
"""How many nodes of a cycle are named. The rest is an ellipsis."""


class GraphCycle(NamedTuple):
    """The nodes of a cycle, the first one again at the end, and the edge that closes it."""

    nodes: tuple[str, ...]
    source: str
    target: str


def cycles(edges: Mapping[str, Iterable[str]]) -> Iterator[GraphCycle]:
    """Yield a cycle for each edge that closes one. Without these edges the graph has no cycle."""
    done: set[str] = set()
    for root in edges:
        if root in done:
            continue
        trail = [root]
        position = {root: 0}
        targets = [iter(edges[root])]
        while trail:
            target = next(targets[-1], None)
            if target is None:
                targets.pop()
                node = trail.pop()
                del position[node]
                done.add(node)
            elif target in position:
                yield GraphCycle(_named(trail, position[target]), trail[-1], target)
            elif target in edges and target not in done:
                position[target] = len(trail)
                trail.append(target)
                targets.append(iter(edges[target]))


def _named(trail: list[str], start: int) -> tuple[str, ...]:
    nodes = trail[start : start + _NAMED]
    rest = ("…",) if len(trail) - start > _NAMED else ()
    return (*nodes, *rest, trail[start])
