"""Provides a gateway that follows a script, request by request, over real sockets."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

Behaviour = Callable[["Peer"], None]


class Seen(NamedTuple):
    """One received request."""

    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class Peer:
    """The connection over which a behaviour responds."""

    def __init__(self, connection: socket.socket, seen: Seen) -> None:
        self.connection = connection
        self.seen = seen
        self.is_open = True

    def say(self, data: bytes) -> None:
        self.connection.sendall(data)

    def answer(self, status: int, body: object, *headers: str) -> None:
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} -", f"Content-Length: {len(text)}", *headers, "", ""]
        self.say("\r\n".join(lines).encode() + text)

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.hang_up()

    def hang_up(self) -> None:
        self.is_open = False
        self.connection.close()


def take(peer: Peer) -> None:
    """Acknowledges every decision."""
    peer.answer(202, {"results": [{"queued": True} for _ in peer.seen.body.get("decisions", [])]})


def refuse(status: int, *headers: str, code: str = "some_code") -> Behaviour:
    return lambda peer: peer.answer(status, {"code": code}, *headers)


def judge(*results: dict[str, Any], status: int = 207, headers: tuple[str, ...] = ()) -> Behaviour:
    return lambda peer: peer.answer(status, {"results": list(results)}, *headers)


class ScriptedGateway:
    """Handles requests with the script in order, and later ones with `otherwise`."""

    def __init__(self, *script: Behaviour, otherwise: Behaviour = take, tls: Any = None) -> None:
        self.script = list(script)
        self.otherwise = otherwise
        self.seen: list[Seen] = []
        self.connections = 0
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def decisions(self) -> list[dict[str, Any]]:
        """Returns all received decisions, including repeated ones."""
        return [each for seen in self.seen for each in seen.body.get("decisions", [])]

    def outputs(self) -> list[list[str]]:
        """Returns the outputs of the decisions in each request."""
        return [[each["output"] for each in seen.body.get("decisions", [])] for seen in self.seen]

    def reports(self) -> list[Any]:
        return [seen.body["client_report"] for seen in self.seen if "client_report" in seen.body]

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            return
        reader = connection.makefile("rb")
        try:
            while True:
                seen = _read_request(reader)
                if seen is None:
                    return
                self.seen.append(seen)
                behave = self.script.pop(0) if self.script else self.otherwise
                peer = Peer(connection, seen)
                behave(peer)
                if not peer.is_open:
                    return
        except OSError:
            pass
        finally:
            reader.close()
            connection.close()


def _read_request(reader: Any) -> Seen | None:
    if not reader.readline():
        return None
    headers: dict[str, str] = {}
    while (line := reader.readline().strip()) != b"":
        name, _, value = line.decode().partition(": ")
        headers[name.lower()] = value
    length = int(headers.get("content-length", 0))
    body = reader.read(length)
    if len(body) < length:
        return None
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Seen(headers, json.loads(body or b"{}"), time.monotonic())
