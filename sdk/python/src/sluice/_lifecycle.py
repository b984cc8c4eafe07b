"""What the process does to its clients: it forks, it is told to end, it ends."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol


class Endable(Protocol):
    """What happens to a client with its process. None of it is for those who use the client."""

    def flush(self) -> object:
        """Sends what is left; the client goes on."""

    def _process_ends(self) -> None:
        """Sends or counts what is left, and says what could not be sent."""

    def _process_forked(self) -> None:
        """In the child: an empty queue, and threads and connections of its own."""


_open: list[Endable] = []
_has_worker_end = False


def watch(client: Endable) -> None:
    """Has the client end with the process, and begin anew in a child of it."""
    _open.append(client)


def forget(client: Endable) -> None:
    if client in _open:
        _open.remove(client)


def end_all() -> None:
    """Sends or counts what is left in every client."""
    for client in list(_open):
        client._process_ends()


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
        if previous is not signal.SIG_IGN and previous is not None:
            signal.signal(number, _handler(previous))
    return None


def _handler(previous: Callable[..., Any] | int) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        if callable(previous):
            for client in list(_open):
                client.flush()
            previous(number, frame)
            return
        end_all()
        # The exit status is to be that of the signal.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    return handle


def _begin_anew() -> None:
    global _has_worker_end
    _has_worker_end = False
    for client in list(_open):
        client._process_forked()


atexit.register(end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
