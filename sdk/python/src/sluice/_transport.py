"""One connection to the gateway, kept open, with one time limit for each whole exchange."""

from __future__ import annotations

import http.client
import io
import os
import selectors
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from sluice._answer import Response

BODY_BYTES_MAX = 4 << 20


class TransportError(Exception):
    """There was no whole answer. The text is for people and holds no secret."""


class Transport:
    """For one thread at a time."""

    def __init__(self, base_url: str, timeout_s: float) -> None:
        self._url = urlsplit(base_url)
        self._timeout_s = timeout_s
        self._deadline = 0.0
        self._connection: http.client.HTTPConnection | None = None
        self._prefix = ""
        self._extra_headers: dict[str, str] = {}

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Raises TransportError: no connection, reset, cut short, no HTTP, out of time."""
        self._deadline = time.monotonic() + self._timeout_s
        try:
            return self._exchange(path, headers, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise TransportError(_told(error)) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Forgets the connection; a later exchange makes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except OSError:
                pass

    def _exchange(self, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        if self._connection is not None and _is_stale(self._connection):
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        target = f"{self._prefix}{self._url.path.rstrip('/')}{path}"
        try:
            connection.request("POST", target, body, {**headers, **self._extra_headers})
        except (BrokenPipeError, ConnectionResetError):
            # A gateway that refuses a long body may answer and close before it has all of it.
            pass
        answer = connection.getresponse()
        content = _read(answer)
        if content is None or answer.will_close:
            self.close()
        return Response(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, content
        )

    def _connect(self) -> http.client.HTTPConnection:
        proxy = proxy_of(self._url.scheme, self._url.hostname or "")
        connection = self._connection_to(proxy) if proxy else self._direct_connection()
        # As its own does, but for one time limit however many addresses there are.
        connection._create_connection = self._open  # type: ignore[attr-defined]
        connection.timeout = self._remaining()
        connection.connect()
        connection.sock = _LimitedSocket(connection.sock, self._remaining)
        return connection

    def _direct_connection(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return _HttpsConnection(host, port, context=ssl.create_default_context())
        return _HttpConnection(host, port)

    def _connection_to(self, proxy: str) -> http.client.HTTPConnection:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host, port = parts.hostname or "", parts.port or 8080
        headers = _proxy_authorization(parts.username, parts.password)
        if self._url.scheme == "http":
            self._prefix = f"http://{self._url.netloc}"
            self._extra_headers = {**headers, "Host": self._url.netloc}
            return _HttpConnection(host, port)
        connection = _HttpsConnection(host, port, context=ssl.create_default_context())
        connection.set_tunnel(self._url.hostname or "", self._url.port or 443, headers)
        return connection

    def _open(self, address: tuple[str, int], *_: Any) -> socket.socket:
        failure: OSError = OSError("no address")
        for family, kind, protocol, _name, target in socket.getaddrinfo(
            *address, 0, socket.SOCK_STREAM
        ):
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(self._remaining())
                made.connect(target)
                return made
            except OSError as error:
                made.close()
                failure = error
        raise failure

    def _remaining(self) -> float:
        """Seconds that the exchange may still take."""
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise socket.timeout("timed out")
        return remaining


class _Answer(http.client.HTTPResponse):
    """Passes over hints of any kind that come before the answer, as HTTP asks."""

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


class _HttpConnection(http.client.HTTPConnection):
    response_class = _Answer


class _HttpsConnection(http.client.HTTPSConnection):
    response_class = _Answer


class _LimitedSocket:
    """A socket of which each operation gets what is left of the time for all of them."""

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


_CHUNK_BYTES = 64 << 10


class _LimitedReader(io.RawIOBase):
    """Keeps the socket open until it is read, as a file of a socket does."""

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


def _read(answer: http.client.HTTPResponse) -> bytes | None:
    """None when it is too long. Raises IncompleteRead when it was cut short."""
    if answer.length is not None:
        return answer.read() if answer.length <= BODY_BYTES_MAX else None
    content = answer.read(BODY_BYTES_MAX + 1)
    return content if len(content) <= BODY_BYTES_MAX else None


def _is_stale(connection: http.client.HTTPConnection) -> bool:
    """Whether there is something to read though nothing was asked: mostly the end."""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.sock, selectors.EVENT_READ)
            return bool(selector.select(0))
    except (OSError, ValueError):
        return True


def proxy_of(scheme: str, host: str) -> str | None:
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    if not any(os.environ.get(name) for name in names):
        return None
    from urllib.request import (  # type: ignore[attr-defined]
        getproxies_environment,
        proxy_bypass_environment,
    )

    proxies = getproxies_environment()
    proxy = proxies.get(scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass_environment(host) else proxy


def _proxy_authorization(username: str | None, password: str | None) -> dict[str, str]:
    if username is None:
        return {}
    import base64

    pair = f"{unquote(username)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _told(error: Exception) -> str:
    """The kind of failure; texts of such errors may hold anything."""
    reason = getattr(error, "strerror", None)
    return f"{type(error).__name__}: {reason}" if isinstance(reason, str) else type(error).__name__
