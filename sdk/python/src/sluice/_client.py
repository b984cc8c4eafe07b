"""Client: queues each decision when it is logged, and sends it in the background."""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from sluice import _lifecycle
from sluice._context import current_fields
from sluice._decision import decision_id_of
from sluice._ergonomics import Ergonomics
from sluice._intake import Intake
from sluice._notices import Notices, write_line
from sluice._options import resolve
from sluice._sender import Sender
from sluice._stats import FlushResult, Stats
from sluice._uuid7 import new_id

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sluice._decision import DecisionFields
    from sluice._options import InitOptions

_TIMEOUT_MS_MAX = 86_400_000
"""One day. A longer wait might exceed the platform's maximum."""


class Client(Ergonomics):
    """Queues decisions from any thread. Its methods never raise."""

    def __init__(self, **options: Unpack[InitOptions]) -> None:
        self.settings = resolve(options, os.environ)
        self._is_enabled = not self.settings.disabled
        self._begin()
        for warning in self.settings.warnings:
            self._notices.config(warning)
        if self._is_enabled:
            self._is_enabled = self._can_send()
        if self._is_enabled:
            _lifecycle.watch(self)
            if self.settings.handle_signals:
                self._handle_signals()

    def log(self, *unnamed: NoReturn, **fields: Unpack[DecisionFields]) -> str:
        """Queues a decision and returns its id immediately. Never raises, never blocks.

        input: any value, including None.
        output: a string; any other value except None is sent as JSON text.
        agent_id, session_id, domain: strings; the context and the options set the defaults.
        metadata: a mapping, merged with the metadata of the context.
        input_tokens, output_tokens: integers.
        decision_id: your own UUID; a decision with the same id is stored once.
        """
        if unnamed:
            return self._intake.reject_positional()
        if not self._is_enabled:
            return decision_id_of(fields.get("decision_id")) or new_id()
        return self._intake.take(fields, current_fields())

    def flush(self, timeout_ms: float | None = None) -> FlushResult:
        """Sends all decisions logged before this call and returns their counts by result.

        Waits for at most `timeout_ms` milliseconds (default: `shutdown_ms`). Never raises.
        """
        if not self._is_enabled:
            return FlushResult(0, 0, 0, 0)
        return self._sender.flush(self._seconds(timeout_ms))

    async def aflush(self, timeout_ms: float | None = None) -> FlushResult:
        """Like `flush`, but does not block the event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[FlushResult] = loop.create_future()

        def settle(result: FlushResult) -> None:
            if not future.done():
                future.set_result(result)

        def run() -> None:
            result = self.flush(timeout_ms)
            try:
                loop.call_soon_threadsafe(settle, result)
            except RuntimeError:
                # The event loop has ended, so nothing waits for the result.
                pass

        try:
            # Not on the loop's executor, because all of its threads may be busy.
            threading.Thread(target=run, name="sluice-flush", daemon=True).start()
        except RuntimeError:
            # No new threads can be started, for example at interpreter shutdown.
            return self.flush(timeout_ms)
        return await future

    def stats(self) -> Stats:
        """Returns the counts of all decisions logged so far, by result."""
        return self._sender.stats()

    def close(self) -> None:
        """Flushes for up to `shutdown_ms`, then drops unsent decisions."""
        if self._is_enabled:
            self._end("the client was closed", time.monotonic())
            _lifecycle.forget(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _process_is_about_to_end(self) -> None:
        self._sender.hurry()

    def _process_may_end(self, began: float) -> None:
        self._sender.flush(self._left_of_shutdown(began))

    def _process_ends(self, began: float) -> None:
        self._end("the process ended", began)

    def _process_forked(self) -> None:
        was_closed = self._sender.is_closed
        self._sender.abandon_connections()
        self._begin()
        self._sender.is_closed = was_closed

    def _begin(self) -> None:
        self._notices = Notices(self.settings)
        self._sender = Sender(self.settings, self._notices)
        self._intake = Intake(self.settings, self._sender, self._notices)

    def _end(self, why: str, began: float) -> None:
        try:
            self._sender.flush(self._left_of_shutdown(began))
        finally:
            # Also runs if the flush is interrupted, for example by Ctrl+C.
            left = self._sender.close()
            if left:
                noun = "decision was" if left == 1 else "decisions were"
                write_line(f"{left} {noun} not sent: {why}")

    def _left_of_shutdown(self, began: float) -> float:
        return max(0.0, began + self.settings.shutdown_ms / 1000 - time.monotonic())

    def _can_send(self) -> bool:
        required = {"api_key": self.settings.api_key, "base_url": self.settings.base_url}
        missing = [name for name, value in required.items() if value is None]
        if missing:
            names = " and ".join(f"{name} (SLUICE_{name.upper()})" for name in missing)
            self._notices.config(f"{names} must be set; nothing is sent")
        return not missing

    def _handle_signals(self) -> None:
        problem = _lifecycle.handle_signals()
        if problem is not None:
            self._notices.config(problem)

    def _seconds(self, timeout_ms: Any) -> float:
        try:
            return min(max(0.0, float(timeout_ms)), _TIMEOUT_MS_MAX) / 1000
        except (TypeError, ValueError, OverflowError):
            return self.settings.shutdown_ms / 1000
