"""Writer of SARIF 2.1.0, for verdicts and gates alike. Pure.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from collections.abc import Iterable, Mapping
from typing import Any

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def sarif_log(
    version: Mapping[str, str],
    rules: Iterable[tuple[str, str]],
    automation_id: str,
    run: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a log with one run. A rule is its id and its description, `run` holds the caller's own keys."""
    described = [{"id": rule, "shortDescription": {"text": text}} for rule, text in rules]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "signoff", **version, "rules": described}},
                "automationDetails": {"id": automation_id},
                **run,
            }
        ],
    }


def location(name: str, kind: str, path: str = "", line: int | None = None) -> dict[str, Any]:
    """Return a location: always the logical one, and the file where a path is given."""
    place: dict[str, Any] = {"logicalLocations": [{"name": name, "kind": kind}]}
    if path:
        # A relative URI reference (RFC 3986), byte by byte.
        uri = "".join(chr(b) if b in _SAFE else f"%{b:02X}" for b in path.encode("utf-8", "replace"))
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
        if line is not None:
            physical["region"] = {"startLine": line}
        place["physicalLocation"] = physical
    return place


def suppression(justification: str) -> dict[str, Any]:
    """Return what keeps a result visible although a person, or the baseline, accepted it."""
    return {"kind": "external", "status": "accepted", "justification": justification}
