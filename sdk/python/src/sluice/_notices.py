"""Reports problems to the host's callbacks and, at most once a minute, on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sluice._errors import SluiceError
from sluice._options import Settings

_CALLBACK_PAUSE_S = 1.0
_SUMMARY_PAUSE_S = 60.0
_DELIVERY_WAIT_S = 1.0


def write_line(text: str) -> None:
    """Writes one line to stderr. Never raises."""
    try:
        sys.stderr.write(f"sluice: {text}\n")
        sys.stderr.flush()
    except Exception:
        # stderr is closed or missing.
        pass


class _Pending:
    """Pending calls of one callback for one stage or reason."""

    __slots__ = ("count", "error", "free_at")

    def __init__(self) -> None:
        self.count = 0
        self.error: Exception | None = None
        self.free_at = 0.0


class Notices:
    """Collects problems cheaply. `deliver` calls the callbacks, on a thread of the SDK."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.RLock()
        self._delivery = threading.RLock()
        self._errors: dict[str, _Pending] = {}
        self._drops: dict[str, _Pending] = {}
        self._first: str | None = None
        self._has_warned = False
        self._summary_at = 0.0
        self._failed = 0
        self._last_failure = ""
        self._lost: dict[str, int] = {}
        self.has_news = False

    def config(self, text: str) -> None:
        """Reports a configuration problem immediately."""
        write_line(text)
        _call(self._settings.on_error, SluiceError(text), {"stage": "config", "count": 0})

    def error(self, stage: str, text: str, count: int, hint: str = "") -> None:
        """Reports a failure that affects `count` decisions."""
        with self._lock:
            if stage in ("send", "flush"):
                self._failed += 1
                self._last_failure = text
            self._warn_first(f"a request failed ({text}): {hint}" if hint else text)
            if self._settings.on_error is not None:
                pending = self._errors.setdefault(stage, _Pending())
                pending.count += count
                pending.error = SluiceError(text)
            self.has_news = True

    def drop(self, reason: str, is_reported: bool = False) -> None:
        """Reports a dropped decision. With `is_reported`, stderr already has a line about it."""
        with self._lock:
            # A decision dropped by redact is not a loss.
            if not is_reported and reason != "redacted":
                self._lost[reason] = self._lost.get(reason, 0) + 1
                self._warn_first(f"a decision was dropped ({reason}): {_HINTS[reason]}")
            if self._settings.on_drop is not None:
                self._drops.setdefault(reason, _Pending()).count += 1
            self.has_news = True

    def due_at(self) -> float | None:
        """Returns when `deliver` must be called next; None if nothing is pending."""
        if not self.has_news:
            return None
        with self._lock:
            if self._first is not None:
                return 0.0
            waiting = [*self._errors.values(), *self._drops.values()]
            times = [pending.free_at for pending in waiting if pending.count]
            if self._has_summary():
                times.append(self._summary_at)
            return min(times, default=None)

    def deliver(self, is_last: bool = False) -> None:
        """Prints due lines and makes due callback calls; with `is_last`, all pending calls."""
        # One thread delivers at a time, so that everything has been delivered when the last thread
        # returns. The timeout limits the wait for a hanging callback.
        is_alone = self._delivery.acquire(timeout=_DELIVERY_WAIT_S)
        try:
            self._deliver(is_last)
        finally:
            if is_alone:
                self._delivery.release()

    def _deliver(self, is_last: bool) -> None:
        now = self._clock()
        with self._lock:
            lines = self._take_lines(now)
            errors = [
                (stage, pending.error, count)
                for stage, pending, count in self._take(self._errors, now, is_last)
            ]
            drops = [(reason, count) for reason, _, count in self._take(self._drops, now, is_last)]
            self.has_news = self._has_pending()
        for line in lines:
            write_line(line)
        for stage, error, count in errors:
            _call(self._settings.on_error, error, {"stage": stage, "count": count})
        for reason, count in drops:
            _call(self._settings.on_drop, {"reason": reason, "count": count})

    def _has_pending(self) -> bool:
        waiting = [*self._errors.values(), *self._drops.values()]
        return self._has_summary() or any(pending.count for pending in waiting)

    def _has_summary(self) -> bool:
        return self._has_warned and bool(self._failed or self._lost)

    def _warn_first(self, text: str) -> None:
        if not self._has_warned and self._first is None:
            self._first = text

    def _take_lines(self, now: float) -> list[str]:
        lines: list[str] = []
        if self._first is not None:
            lines.append(self._first)
            self._first, self._has_warned = None, True
            self._summary_at = now + _SUMMARY_PAUSE_S
            self._forget_first()
        if self._has_summary() and now >= self._summary_at:
            lines.append(self._summary())
            self._summary_at = now + _SUMMARY_PAUSE_S
        return lines

    def _forget_first(self) -> None:
        """Excludes from the summary the problem that the first line reported."""
        if self._failed + sum(self._lost.values()) == 1:
            self._failed, self._lost = 0, {}

    def _summary(self) -> str:
        parts: list[str] = []
        if self._failed:
            parts.append(f"failed requests: {self._failed} (latest: {self._last_failure})")
        if self._lost:
            reasons = ", ".join(f"{reason} {count}" for reason, count in self._lost.items())
            parts.append(f"dropped decisions: {sum(self._lost.values())} ({reasons})")
        self._failed, self._lost = 0, {}
        return f"since the last report: {'; '.join(parts)}"

    @staticmethod
    def _take(
        waiting: dict[str, _Pending], now: float, is_last: bool
    ) -> list[tuple[str, _Pending, int]]:
        taken = []
        for name, pending in waiting.items():
            if pending.count and (is_last or now >= pending.free_at):
                taken.append((name, pending, pending.count))
                pending.count = 0
                pending.free_at = now + _CALLBACK_PAUSE_S
        return taken


def _call(callback: Callable[..., Any] | None, *args: Any) -> None:
    try:
        if callback is not None:
            callback(*args)
    except (Exception, SystemExit):
        # An error in a callback must not end the thread of the SDK.
        pass


_HINTS = {
    "queue_full": ("logged faster than sent; see queue_max_items and queue_max_bytes"),
    "too_large": "larger than max_decision_bytes, or than the gateway accepts",
    "invalid": "no input or output, or not encodable",
    "redact_error": "redact failed, and decisions are never sent unredacted",
    "refused": "rejected by the gateway; see docs/reference/errors.md in the Sluice repository",
    "unauthorized": "check SLUICE_API_KEY and SLUICE_BASE_URL",
    "retries_exhausted": "every attempt to send it failed",
    "shutdown": "the client was closed, or the process ended",
}
