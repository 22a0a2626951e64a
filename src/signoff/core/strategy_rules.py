"""What types alone do not say about `[[checks.extra]]`. Pure; `core.settings` asks when settings are read."""

import re
from collections.abc import Iterator
from enum import StrEnum

from signoff.core.repo_paths import why_outside
from signoff.core.violations import below, fault
from signoff.domain.settings import CheckSettings, ExtraCheck
from signoff.domain.strategies import RESERVED
from signoff.domain.violations import Violation

_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\]):(\{port\}|[0-9]{1,5})(/.*)?")


class ExtraCode(StrEnum):
    """What can be wrong with a further check."""

    NAME_TAKEN = "name-taken"
    SERVER_UNREADY = "server-unready"
    NOT_LOOPBACK = "not-loopback"
    PATH_OUTSIDE = "path-outside"


def wrong_extras(settings: CheckSettings) -> Iterator[Violation]:
    """Give everything that is wrong with the further checks."""
    seen: set[str] = set()
    for number, extra in enumerate(settings.extra):
        path = below("/checks/extra", str(number))
        if extra.name in RESERVED or extra.name in seen:
            message = f"there is a gate {extra.name} already"
            yield fault(ExtraCode.NAME_TAKEN, message, below(path, "name"), fix="choose another name")
        seen.add(extra.name)
        yield from _wrong_server(extra, path)
        if extra.report is not None and (why := why_outside(extra.report)):
            message = f"{extra.report!r} {why}"
            yield fault(ExtraCode.PATH_OUTSIDE, message, below(path, "report"), fix="name a file of the tree")


def _wrong_server(extra: ExtraCheck, path: str) -> Iterator[Violation]:
    signs = [sign for sign in (extra.ready_url, extra.ready_port) if sign is not None]
    if extra.serve is not None and len(signs) != 1:
        message = "it is not said, or said twice, when the server is ready"
        yield fault(
            ExtraCode.SERVER_UNREADY, message, below(path, "serve"), fix="give ready_url or ready_port"
        )
    mentions = any("{port}" in word for word in (*extra.command, extra.ready_url or ""))
    if extra.serve is None and (signs or mentions):
        yield fault(ExtraCode.SERVER_UNREADY, "there is no server to wait for", path, fix="give serve")
    if extra.ready_url is not None and not _is_loopback(extra.ready_url):
        message = f"{extra.ready_url!r} is not http on this machine with a port"
        fix = "such as http://127.0.0.1:{port}/health"
        yield fault(ExtraCode.NOT_LOOPBACK, message, below(path, "ready_url"), fix=fix)


def _is_loopback(url: str) -> bool:
    return (
        re.fullmatch(r"http://(127\.0\.0\.1|localhost|\[::1\]):(\{port\}|[0-9]{1,5})(/.*)?", url) is not None
    )
