"""A socket with one deadline for all of its operations."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from typing import Any

_CHUNK_BYTES = 64 << 10


class LimitedSocket:
    """Limits each operation to the time that remains until the deadline."""

    def __init__(self, inner: socket.socket, remaining: Callable[[], float]) -> None:
        self._inner = inner
        self._remaining = remaining

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._inner.settimeout(self._remaining())
            view = view[self._inner.send(view[:_CHUNK_BYTES]) :]

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_LimitedReader(self._inner, self._remaining))

    def fileno(self) -> int:
        return self._inner.fileno()

    def close(self) -> None:
        self._inner.close()


class _LimitedReader(io.RawIOBase):
    """Keeps the socket open until the response is read, as a socket's own file object does."""

    def __init__(self, inner: socket.socket, remaining: Callable[[], float]) -> None:
        self._socket = inner
        self._file: Any = inner.makefile("rb", buffering=0)
        self._remaining = remaining

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._remaining())
        count: int | None = self._file.readinto(buffer)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
