"""When the next request may begin: pauses after failures, and the breaker."""

from __future__ import annotations

import random
from collections.abc import Callable

from sluice._options import Settings

RETRY_AFTER_MAX_S = 300.0
_IN_FLIGHT_MAX = 2
_DOUBLINGS_MAX = 30


class Gate:
    """Of one client, since it has one gateway. All times are seconds of one steady clock."""

    def __init__(self, settings: Settings, draw: Callable[[], float] = random.random) -> None:
        self._settings = settings
        self._draw = draw
        self._failures = 0
        self._pause_until = 0.0
        self._asked_until = 0.0
        self._breaker_until = 0.0

    @property
    def opens_at(self) -> float:
        return max(self._pause_until, self._asked_until, self._breaker_until)

    @property
    def in_flight_max(self) -> int:
        """One until it is known that the gateway works again."""
        return 1 if self._failures else _IN_FLIGHT_MAX

    def fail(self, now: float, retry_after_s: float | None) -> None:
        """Another attempt failed: a random pause, as long as what the gateway asks for at least."""
        self._failures += 1
        self._pause_until = max(self._pause_until, now + self.draw_pause_s(self._failures))
        self.hold(now, retry_after_s)

    def hold(self, now: float, retry_after_s: float | None) -> None:
        """The gateway asks for a pause, if it does."""
        if retry_after_s is not None:
            asked = now + min(retry_after_s, RETRY_AFTER_MAX_S)
            self._asked_until = max(self._asked_until, asked)

    def draw_pause_s(self, failures: int) -> float:
        """Full jitter: anything up to a limit that doubles with each failure up to the cap."""
        doublings = min(failures - 1, _DOUBLINGS_MAX)
        longest_ms = min(self._settings.retry_cap_ms, self._settings.retry_base_ms << doublings)
        return self._draw() * longest_ms / 1000

    def trip(self, now: float) -> None:
        """The client is set up wrongly: nothing until one request tries again."""
        self._failures += 1
        self._breaker_until = now + self._settings.breaker_ms / 1000

    def succeed(self, now: float) -> None:
        """The gateway took something or judged it. What it asked for before still holds.

        So does the breaker: whatever ends before it does was under way when it opened.
        """
        if now >= self._breaker_until:
            self._failures = 0
            self._pause_until = 0.0
