"""HTTP transport: one persistent connection, and one time limit per exchange."""

from __future__ import annotations

import codecs
import http.client
import os
import selectors
import socket
import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from sluice._batch_result import Response
from sluice._limited_socket import LimitedSocket
from sluice._proxy import proxy_authorization, proxy_of

BODY_BYTES_MAX = 4 << 20

# Host name lookups import this codec. A fork during an import leaves the child with an import lock
# that is never released, so nothing is imported on a thread of the SDK.
codecs.lookup("idna")


class TransportError(Exception):
    """Raised if there was no complete response. The text contains no secret."""


class Transport:
    """Not thread-safe."""

    def __init__(self, base_url: str, timeout_s: float) -> None:
        self._url = urlsplit(base_url)
        self._timeout_s = timeout_s
        self._deadline = 0.0
        self._connection: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self._tls: ssl.SSLContext | None = None
        self._prefix = ""
        self._extra_headers: dict[str, str] = {}

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Raises TransportError unless a complete response arrives within the time limit."""
        return self._exchange("POST", path, headers, body)

    def get(self, path: str, headers: Mapping[str, str]) -> Response:
        """Raises TransportError like `post`."""
        return self._exchange("GET", path, headers, None)

    def close(self) -> None:
        """Closes the connection. The next exchange opens a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except OSError:
                pass

    def abandon(self) -> None:
        """Closes only the file descriptor, because a forked child may inherit a held lock."""
        if self._socket is not None:
            try:
                os.close(self._socket.detach())
            except OSError:
                pass

    def _exchange(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        self._deadline = time.monotonic() + self._timeout_s
        try:
            return self._request(method, path, headers, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if isinstance(error, ssl.SSLError):
                # Load the trusted certificates again, because they may have been fixed.
                self._tls = None
            raise TransportError(_describe(error)) from error
        except BaseException:
            self.close()
            raise

    def _request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        if self._connection is not None and _is_stale(self._connection):
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        target = f"{self._prefix}{self._url.path.rstrip('/')}{path}"
        try:
            connection.request(method, target, body, {**headers, **self._extra_headers})
        except (BrokenPipeError, ConnectionResetError):
            # A gateway that rejects a long body may respond and close the connection before it has
            # read the body.
            pass
        response = connection.getresponse()
        content = _read(response)
        if content is None or response.will_close:
            self.close()
        return Response(
            response.status, {name.lower(): value for name, value in response.getheaders()}, content
        )

    def _connect(self) -> http.client.HTTPConnection:
        proxy = proxy_of(self._url.scheme, self._url.hostname or "")
        connection = self._connection_to(proxy) if proxy else self._direct_connection()
        # Like the original method, but with one time limit for all addresses.
        connection._create_connection = self._open  # type: ignore[attr-defined]
        connection.timeout = self._remaining()
        connection.connect()
        self._socket = connection.sock
        connection.sock = LimitedSocket(connection.sock, self._remaining)
        return connection

    def _direct_connection(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return _HttpsConnection(host, port, context=self._tls_context())
        return _HttpConnection(host, port)

    def _connection_to(self, proxy: str) -> http.client.HTTPConnection:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        host, port = parts.hostname or "", parts.port or 8080
        headers = proxy_authorization(parts.username, parts.password)
        if self._url.scheme == "http":
            self._prefix = f"http://{self._url.netloc}"
            self._extra_headers = {**headers, "Host": self._url.netloc}
            return _HttpConnection(host, port)
        connection = _HttpsConnection(host, port, context=self._tls_context())
        connection.set_tunnel(self._url.hostname or "", self._url.port or 443, headers)
        return connection

    def _tls_context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

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
        """Returns the seconds that remain for the exchange."""
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise socket.timeout("timed out")
        return remaining


class _Response(http.client.HTTPResponse):
    """Skips informational responses of any kind, as HTTP requires."""

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


class _HttpConnection(http.client.HTTPConnection):
    response_class = _Response


class _HttpsConnection(http.client.HTTPSConnection):
    response_class = _Response


def _read(response: http.client.HTTPResponse) -> bytes | None:
    """Returns the body; None if it is too long. Raises IncompleteRead if it is truncated."""
    if response.length is not None:
        return response.read() if response.length <= BODY_BYTES_MAX else None
    content = response.read(BODY_BYTES_MAX + 1)
    return content if len(content) <= BODY_BYTES_MAX else None


def _is_stale(connection: http.client.HTTPConnection) -> bool:
    """Checks for unexpected data to read, usually because the peer closed the connection."""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.sock, selectors.EVENT_READ)
            return bool(selector.select(0))
    except (OSError, ValueError):
        return True


def _describe(error: Exception) -> str:
    """Returns only the kind of failure, because the error's text may contain anything."""
    reason = getattr(error, "strerror", None)
    return f"{type(error).__name__}: {reason}" if isinstance(reason, str) else type(error).__name__
