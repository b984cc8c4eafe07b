"""Connects clients to the process: forks, signals and exit."""

from __future__ import annotations

import atexit
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Optional, Protocol


class ShutdownTarget(Protocol):
    """The client methods that this module calls. They are not part of the public API."""

    def _process_is_about_to_end(self) -> None:
        """Starts to send all queued decisions, without waiting for the result."""

    def _process_ends(self, began: float) -> None:
        """Sends the remaining decisions, or drops and counts them.

        `began` is the monotonic time at which process shutdown began.
        """

    def _process_may_end(self, began: float) -> None:
        """Sends the remaining decisions. The client stays usable."""

    def _process_forked(self) -> None:
        """Gives a forked child an empty queue and its own threads and connections."""


_open: list[ShutdownTarget] = []
_has_worker_end = False
_is_ending = False
"""True while clients are flushed because of a signal or at process exit."""
_flushed: tuple[float, float] | None = None
"""Monotonic times at which the last flush caused by a signal began and ended."""
_SAME_END_S = 10.0
"""A process exit within this time of a signal's flush counts as caused by the same signal."""
_handlers: list[Callable[[int, Optional[FrameType]], None]] = []


def watch(client: ShutdownTarget) -> None:
    """Closes the client at process exit, and resets it in a forked child."""
    _open.append(client)


def forget(client: ShutdownTarget) -> None:
    if client in _open:
        _open.remove(client)


def close_all() -> None:
    """Flushes and closes all clients concurrently.

    Decisions still unsent at the deadline are dropped and counted.
    """
    global _is_ending
    began = time.monotonic()
    if _is_ending:
        # A second request to end the process: do not wait.
        began = -math.inf
    elif _flushed is not None and began - _flushed[1] < _SAME_END_S:
        began -= _flushed[1] - _flushed[0]
    _is_ending = True
    clients = list(_open)
    interruption: BaseException | None = None
    for client in clients:
        client._process_is_about_to_end()
    for client in clients:
        try:
            client._process_ends(began)
        except BaseException as error:
            interruption, began = error, -math.inf
    _is_ending = False
    if interruption is not None:
        raise interruption


def _flush_all() -> None:
    """Flushes all clients concurrently, unless that is already in progress."""
    global _is_ending, _flushed
    if _is_ending:
        return
    _is_ending = True
    began = time.monotonic()
    clients = list(_open)
    try:
        for client in clients:
            client._process_is_about_to_end()
        for client in clients:
            client._process_may_end(began)
    except BaseException:
        # Another signal arrived: do not wait when the process ends.
        began = -math.inf
        raise
    finally:
        _is_ending = False
        _flushed = (began, time.monotonic())


def end_with_worker_process() -> None:
    """Registers a finalizer, because multiprocessing children do not run `atexit` handlers."""
    global _has_worker_end
    process = sys.modules.get("multiprocessing.process")
    if _has_worker_end or process is None or process.parent_process() is None:
        return
    _has_worker_end = True
    try:
        from multiprocessing.util import Finalize

        # Runs before the finalizers of queues and managers, which have lower priorities.
        Finalize(None, close_all, exitpriority=100)
    except ImportError:
        pass


def handle_signals() -> str | None:
    """Flushes on SIGTERM and SIGINT. Returns the problem if signals cannot be handled."""
    if threading.current_thread() is not threading.main_thread():
        return "handle_signals works only in the main thread; signals are not handled"
    for number in (signal.SIGTERM, signal.SIGINT):
        previous = signal.getsignal(number)
        # One handler serves all clients.
        if previous not in (signal.SIG_IGN, None, *_handlers):
            _handlers.append(_handler(previous))
            signal.signal(number, _handlers[-1])
    return None


def _handler(previous: Callable[..., Any] | int | None) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        _flush_all()
        if callable(previous):
            previous(number, frame)
            return
        close_all()
        # Ends the process with the exit status of the signal.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    return handle


def _reset_after_fork() -> None:
    global _has_worker_end, _is_ending, _flushed
    _has_worker_end = _is_ending = False
    _flushed = None
    for client in list(_open):
        client._process_forked()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
