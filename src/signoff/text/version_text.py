"""Versions of agents' programs, as they print them. Pure."""

import re

_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+)")


def version_in(text: str) -> str:
    """Return the version in a line such as `codex-cli 0.166.0`, empty if it holds none."""
    found = _VERSION.search(text)
    return found[1] if found else ""


def is_as_tested(version: str, tested: str) -> bool:
    """Check whether a version is the tested one or a later one with the same major and minor number."""
    have, known = _numbers(version), _numbers(tested)
    return have[:2] == known[:2] and have >= known


def untested(title: str, version: str, tested: str) -> str:
    """Return a sentence that a program is not the version that was tested, empty if it is."""
    if not tested or (version and is_as_tested(version, tested)):
        return ""
    if not version:
        return f"{title} does not say its version; the one that was tested is {tested}"
    return f"{title} {version} is not the version that was tested, which is {tested}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in version.split("."))
