"""`CHECKSUMS.txt`: the checksum of each file of a set of packs, as `sha256sum -c` reads it. Pure."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from signoff.golden.records.pack_files import UnreadablePackError

NAME = "CHECKSUMS.txt"

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def write_manifest(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest of these files, sorted by name."""
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "".join(lines).encode()


def read_manifest(data: bytes | None) -> dict[str, str]:
    """Return the checksum of each file, or raise `UnreadablePackError` unless every line is one."""
    if data is None:
        raise UnreadablePackError(f"there is no {NAME}")
    found: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise UnreadablePackError(f"{NAME}:{number}: one checksum, two spaces and a name of its own")
        found[match[2]] = match[1]
    return found


class Drift(NamedTuple):
    """One file that differs from the manifest. A checksum is empty where the file is missing or unlisted."""

    name: str
    before: str
    after: str


def drifts(manifest: Mapping[str, str], files: Mapping[str, bytes]) -> Iterator[Drift]:
    """Yield every file that was changed, is missing, or is not listed."""
    for name in sorted({*manifest, *files}):
        then = manifest.get(name, "")
        now = hashlib.sha256(files[name]).hexdigest() if name in files else ""
        if then != now:
            yield Drift(name, then, now)


def scenario_of(name: str) -> str:
    """Return the scenario that a file belongs to, empty for a file of the whole set."""
    parts = name.split("/")
    if parts[0] == "packs" and len(parts) > 1:
        return parts[1]
    return parts[1].removesuffix(".json") if parts[0] == "scenarios" and len(parts) > 1 else ""


def known(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that the manifest covers: scenarios, packs, and the summary."""
    return tuple(
        name for name in names if name.startswith(("scenarios/", "packs/")) or name == "summary.json"
    )
