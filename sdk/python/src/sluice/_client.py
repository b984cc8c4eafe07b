"""The client: takes decisions at once, and sends them in the background."""

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
"""A day: no thread can be asked to wait for ever longer."""


class Client(Ergonomics):
    """Takes decisions from any thread. Nothing that it does reaches its host as an exception."""

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
        """Takes a decision and returns its id at once. Never raises, never waits.

        input: any value, None included.
        output: a text; anything else is sent as its JSON text.
        agent_id, session_id, domain: texts; without them those of the context or the options.
        metadata: a mapping, merged with that of the context.
        input_tokens, output_tokens: whole numbers.
        decision_id: a UUID of your own; the same one is never stored twice.
        """
        if unnamed:
            return self._intake.refuse_unnamed()
        if not self._is_enabled:
            return decision_id_of(fields.get("decision_id")) or new_id()
        return self._intake.take(fields, current_fields())

    def flush(self, timeout_ms: float | None = None) -> FlushResult:
        """Sends what was logged before, and says what became of it. Never raises.

        It waits for `timeout_ms` milliseconds at most, or for `shutdown_ms`.
        """
        if not self._is_enabled:
            return FlushResult(0, 0, 0, 0)
        return self._sender.flush(self._seconds(timeout_ms))

    async def aflush(self, timeout_ms: float | None = None) -> FlushResult:
        """`flush`, while other coroutines go on."""
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
                # The loop has ended, and with it whoever waited.
                pass

        try:
            # A thread of its own: those of the loop's executor may all be taken.
            threading.Thread(target=run, name="sluice-flush", daemon=True).start()
        except RuntimeError:
            # There are none to be had, as at the end of a process.
            return self.flush(timeout_ms)
        return await future

    def stats(self) -> Stats:
        """What became of all decisions so far."""
        return self._sender.stats()

    def close(self) -> None:
        """Flushes, and gives up what is left after `shutdown_ms`."""
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
            # Also when somebody does not want to wait, and interrupts it.
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
            self._notices.config(f"{names} must be set; until then nothing is sent")
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
