"""Compare what lies around a checkout before and after an agent worked in it. Pure."""

from collections.abc import Iterator, Mapping

from signoff.domain.machine.surroundings import Fingerprint, Surroundings, Touched


def compare(before: Surroundings, after: Surroundings) -> Touched:
    """Return the paths that are not as they were, sorted.

    Where one look was incomplete, a person's files count only if both looks saw them.
    """
    is_whole = before.is_whole and after.is_whole
    certain = {
        *_changed(before.engine, after.engine),
        *(path for path, mark in before.kept.items() if after.kept.get(path) != mark),
        *_cut(before.growing, after.growing),
    }
    person = set(_changed(before.person, after.person))
    if not is_whole:
        person &= before.person.keys() & after.person.keys()
    return Touched(tuple(sorted(certain)), tuple(sorted(person)))


def _changed(before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]) -> Iterator[str]:
    return (path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def _cut(before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]) -> Iterator[str]:
    """Find journals that are gone, shorter, or other files than they were."""
    for path, (size, _, inode) in before.items():
        now = after.get(path)
        if now is None or now[0] < size or now[2] != inode:
            yield path
