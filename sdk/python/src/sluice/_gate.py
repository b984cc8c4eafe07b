"""Gate: decides when the next request may start, based on failures and the breaker."""

from __future__ import annotations

import random
from collections.abc import Callable

from sluice._options import Settings

RETRY_AFTER_MAX_S = 300.0
_IN_FLIGHT_MAX = 2
_DOUBLINGS_MAX = 30


class Gate:
    """One gate per client. All times are in seconds of a monotonic clock."""

    def __init__(self, settings: Settings, draw: Callable[[], float] = random.random) -> None:
        self._settings = settings
        self._draw = draw
        self._failures = 0
        self._pause_until = 0.0
        self._retry_after_until = 0.0
        self._breaker_until = 0.0

    @property
    def opens_at(self) -> float:
        return max(self._pause_until, self._retry_after_until, self._breaker_until)

    @property
    def in_flight_max(self) -> int:
        """Maximum number of concurrent requests: one after a failure, until a request succeeds."""
        return 1 if self._failures else _IN_FLIGHT_MAX

    def fail(self, now: float, retry_after_s: float | None) -> None:
        """Pauses after a failed attempt, for at least as long as the gateway requests."""
        self._failures += 1
        self._pause_until = max(self._pause_until, now + self.draw_pause_s(self._failures))
        self.hold(now, retry_after_s)

    def hold(self, now: float, retry_after_s: float | None) -> None:
        """Pauses for as long as the gateway requests, up to RETRY_AFTER_MAX_S."""
        if retry_after_s is not None:
            until = now + min(retry_after_s, RETRY_AFTER_MAX_S)
            self._retry_after_until = max(self._retry_after_until, until)

    def draw_pause_s(self, failures: int) -> float:
        """Returns a random pause. Its limit doubles with each failure up to a cap (full jitter)."""
        doublings = min(failures - 1, _DOUBLINGS_MAX)
        longest_ms = min(self._settings.retry_cap_ms, self._settings.retry_base_ms << doublings)
        return self._draw() * longest_ms / 1000

    def trip(self, now: float) -> None:
        """Opens the breaker: after a pause, one request at a time is sent until one succeeds."""
        self._failures += 1
        self._breaker_until = now + self._settings.breaker_ms / 1000

    def succeed(self, now: float) -> None:
        """Resets the failures after a response that accepts or rejects decisions.

        An earlier Retry-After still applies. An open breaker stays open, because the request was
        already in flight when the breaker opened.
        """
        if now >= self._breaker_until:
            self._failures = 0
            self._pause_until = 0.0
