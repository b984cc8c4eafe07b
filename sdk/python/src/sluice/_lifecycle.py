"""What the process does to its clients: it forks, it is told to end, it ends."""

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


class Endable(Protocol):
    """What happens to a client with its process. None of it is for those who use the client."""

    def _process_is_about_to_end(self) -> None:
        """Has what is left sent, and does not wait for it."""

    def _process_ends(self, began: float) -> None:
        """Sends or counts what is left; the end has lasted since `began`."""

    def _process_may_end(self, began: float) -> None:
        """Sends what is left; the client goes on."""

    def _process_forked(self) -> None:
        """In the child: an empty queue, and threads and connections of its own."""


_open: list[Endable] = []
_has_worker_end = False
_is_ending = False
"""Whether clients are being flushed because of a signal or the end."""
_flushed: tuple[float, float] | None = None
"""From when until when it was last done because of a signal."""
_SAME_END_S = 10.0
"""An end that follows a signal so soon is the end that the signal asked for."""
_handlers: list[Callable[[int, Optional[FrameType]], None]] = []


def watch(client: Endable) -> None:
    """Has the client end with the process, and begin anew in a child of it."""
    _open.append(client)


def forget(client: Endable) -> None:
    if client in _open:
        _open.remove(client)


def end_all() -> None:
    """Sends or counts what is left in every client, all of them at a time."""
    global _is_ending
    began = time.monotonic()
    if _is_ending:
        # Whoever asks twice does not want to wait.
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
    """Sends what is left in every client, unless that is being done already."""
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
        # Another signal: there is no time left for the end.
        began = -math.inf
        raise
    finally:
        _is_ending = False
        _flushed = (began, time.monotonic())


def end_with_worker_process() -> None:
    """A child made by multiprocessing ends without `atexit`, but it has an end of its own."""
    global _has_worker_end
    process = sys.modules.get("multiprocessing.process")
    if _has_worker_end or process is None or process.parent_process() is None:
        return
    _has_worker_end = True
    try:
        from multiprocessing.util import Finalize

        # Before queues and managers, which have priorities below, are gone.
        Finalize(None, end_all, exitpriority=100)
    except ImportError:
        pass


def handle_signals() -> str | None:
    """Sends what is left on SIGTERM and SIGINT; says why it cannot be done, if so."""
    if threading.current_thread() is not threading.main_thread():
        return "handle_signals works in the main thread alone; signals are not handled"
    for number in (signal.SIGTERM, signal.SIGINT):
        previous = signal.getsignal(number)
        # One of ours serves all clients.
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
        end_all()
        # The exit status is to be that of the signal.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    return handle


def _begin_anew() -> None:
    global _has_worker_end, _is_ending, _flushed
    _has_worker_end = _is_ending = False
    _flushed = None
    for client in list(_open):
        client._process_forked()


atexit.register(end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
