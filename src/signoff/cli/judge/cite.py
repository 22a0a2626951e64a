"""The action of `signoff cite`."""

import sys

from signoff.cli.shared.command import Options, Output
from signoff.cli.shared.files import LARGEST, open_regular
from signoff.cli.shared.line_counts import place_below, real_root
from signoff.domain.base.errors import UsageError
from signoff.judges.citation_check import CitationOutcome, Cited, Locator, cite, is_supported


def run(options: Options, say: Output) -> int:
    """Verify the citation."""
    expected = options.excerpt
    if expected == "-":
        expected = sys.stdin.buffer.read(LARGEST).decode("utf-8", "surrogateescape")
    locator = Locator(options.line, options.section, options.sha256, expected)
    found = _cite(options.root, options.document, locator)
    document = {
        "code": found.code,
        "excerpt": found.excerpt,
        "warnings": found.warnings,
        "line": found.line,
        "sha256": found.sha256,
    }
    for warning in found.warnings:
        say.note(f"warning: {warning}")
    if found.code is not Cited.OK:
        say.note(f"{options.document}: {found.code}")
    say.result(document, found.excerpt or "")
    return 0 if found.code is Cited.OK else 1


def _cite(root: str, name: str, locator: Locator) -> CitationOutcome:
    top = real_root(root)
    try:
        place = place_below(top, name)
        if place is None:
            return CitationOutcome(Cited.DOCUMENT_OUT_OF_ROOT)
        if not is_supported(place):
            return CitationOutcome(Cited.UNSUPPORTED_EXTENSION)
        with open_regular(place) as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        why = error.strerror if isinstance(error, OSError) else str(error)
        return CitationOutcome(Cited.DOCUMENT_NOT_FOUND, warnings=(str(why),))
    if len(data) > LARGEST:
        raise UsageError(f"{name} is too large", slug="file-too-large", why=f"more than {LARGEST} bytes")
    return cite(data, locator, is_markdown=place.lower().endswith(".md"))
