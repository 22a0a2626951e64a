"""The clock: its text, and that it never goes backwards."""

import time

import pytest

from signoff.domain.ports import Clock
from signoff.engine.journal_format import is_timestamp
from signoff.host.files.clock import SystemClock

MOMENT = 1_794_764_441_123_999_999


def test_now_is_utc_to_the_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "_latest_ms", 0)

    assert SystemClock(lambda: MOMENT).now() == "2026-11-15T17:40:41.123Z"


def test_now_is_the_present_and_fit_for_a_journal() -> None:
    clock: Clock = SystemClock()

    now = clock.now()

    assert is_timestamp(now)
    assert now[:4] in (time.strftime("%Y", time.gmtime()), time.strftime("%Y", time.gmtime(time.time() - 5)))


def test_a_clock_set_back_stands_still_until_time_has_caught_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "_latest_ms", 0)
    moments = iter([MOMENT, MOMENT - 3_600_000_000_000, MOMENT + 1_000_000])
    seen = [SystemClock(lambda: next(moments)).now() for _ in range(3)]

    assert seen == ["2026-11-15T17:40:41.123Z", "2026-11-15T17:40:41.123Z", "2026-11-15T17:40:41.124Z"]
