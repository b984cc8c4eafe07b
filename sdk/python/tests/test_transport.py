"""Tests the transport over real sockets: time limits, broken connections, proxies."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from typing import Any
from unittest import mock

from scripted import Peer, ScriptedGateway, refuse, take
from sluice._transport import BODY_BYTES_MAX, Transport, TransportError

BODY = b'{"decisions":[]}'


class TransportTest(unittest.TestCase):
    def gateway(self, *script: Any) -> ScriptedGateway:
        gateway = ScriptedGateway(*script)
        self.addCleanup(gateway.close)
        return gateway

    def post(self, url: str, times: int = 1, timeout_s: float = 5.0) -> Any:
        transport = Transport(url, timeout_s)
        self.addCleanup(transport.close)
        for _ in range(times):
            response = transport.post("/v1/ingest/batch", {"X-A": "1"}, BODY)
        return response

    def fails(self, url: str, timeout_s: float = 5.0) -> str:
        began = time.monotonic()
        with self.assertRaises(TransportError) as raised:
            self.post(url, timeout_s=timeout_s)
        self.assertLess(time.monotonic() - began, timeout_s + 3)
        return str(raised.exception)

    def test_requests_share_one_connection(self) -> None:
        gateway = self.gateway()
        self.assertEqual(self.post(gateway.url, times=3).status, 202)
        self.assertEqual((gateway.connections, len(gateway.seen)), (1, 3))

    def test_a_closed_connection_is_opened_again(self) -> None:
        def close_after(peer: Peer) -> None:
            take(peer)
            peer.hang_up()

        gateway = self.gateway(close_after)
        transport = Transport(gateway.url, 5)
        self.addCleanup(transport.close)
        transport.post("/", {}, BODY)
        time.sleep(0.1)
        self.assertEqual(transport.post("/", {}, BODY).status, 202)
        self.assertEqual(len(gateway.seen), 2)

    def test_an_incomplete_response_fails(self) -> None:
        breaks: list[Any] = [
            lambda peer: peer.reset(),
            lambda peer: peer.hang_up(),
            lambda peer: (
                peer.say(b"HTTP/1.1 202 -\r\nContent-Length: 10\r\n\r\n{"),
                peer.hang_up(),
            ),
            lambda peer: (peer.say(b"SSH-2.0\r\n\r\n"), peer.hang_up()),
            lambda peer: (
                peer.say(b"HTTP/1.1 202 -\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
                peer.hang_up(),
            ),
        ]
        for behave in breaks:
            self.fails(self.gateway(behave).url)

    def test_the_time_limit_covers_the_whole_exchange(self) -> None:
        def drip(peer: Peer) -> None:
            for byte in b"HTTP/1.1 202 -\r\nX: " + b"y" * 1000:
                peer.say(bytes([byte]))
                time.sleep(0.05)

        def drip_body(peer: Peer) -> None:
            peer.say(b"HTTP/1.1 202 -\r\nContent-Length: 1000\r\n\r\n")
            drip(peer)

        for behave in (drip, drip_body, lambda _: time.sleep(30)):
            began = time.monotonic()
            self.fails(self.gateway(behave).url, 0.5)
            self.assertLess(time.monotonic() - began, 3)

    def test_an_unread_request_body_times_out_too(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        transport = Transport(f"http://127.0.0.1:{listener.getsockname()[1]}", 0.5)
        self.addCleanup(transport.close)
        with self.assertRaises(TransportError):
            transport.post("/", {}, b"x" * (64 << 20))

    def test_informational_responses_are_skipped(self) -> None:
        def hint(peer: Peer) -> None:
            peer.say(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n")
            take(peer)

        gateway = self.gateway(hint)
        self.assertEqual(self.post(gateway.url, times=2).status, 202)
        self.assertEqual(len(gateway.seen), 2)

    def test_a_response_before_the_request_is_sent(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve() -> None:
            connection, _ = listener.accept()
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 413 -\r\nContent-Length: 2\r\n\r\n{}")
            connection.shutdown(socket.SHUT_WR)
            time.sleep(0.5)
            connection.close()

        threading.Thread(target=serve, daemon=True).start()
        transport = Transport(f"http://127.0.0.1:{listener.getsockname()[1]}", 5)
        self.addCleanup(transport.close)
        self.assertEqual(transport.post("/", {}, b"x" * (8 << 20)).status, 413)

    def test_redirects_are_not_followed(self) -> None:
        gateway = self.gateway(refuse(307, "Location: /elsewhere"))
        self.assertEqual(self.post(gateway.url).status, 307)
        self.assertEqual(len(gateway.seen), 1)

    def test_an_endless_response_is_not_read_to_its_end(self) -> None:
        def endless(peer: Peer) -> None:
            peer.say(b"HTTP/1.1 202 -\r\n\r\n")
            while True:
                peer.say(b"x" * 65536)

        long = self.gateway(lambda peer: peer.answer(202, b" " * (BODY_BYTES_MAX + 1)))
        self.assertIsNone(self.post(long.url).body)
        self.assertIsNone(self.post(self.gateway(endless).url).body)

    def test_unreachable_addresses(self) -> None:
        closed = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        closed.close()
        self.assertIn("ConnectionRefusedError", self.fails(url))
        self.fails("http://sluice.invalid")

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl to make a certificate")
    def test_a_certificate_is_verified(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = {"certfile": f"{folder}/cert.pem", "keyfile": f"{folder}/key.pem"}
            command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
            names = ["-addext", "subjectAltName=DNS:localhost"]
            outputs = ["-keyout", files["keyfile"], "-out", files["certfile"]]
            subprocess.run([*command.split(), *names, *outputs], check=True, capture_output=True)
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(**files)
            gateway = ScriptedGateway(tls=tls)
            self.addCleanup(gateway.close)
            url = gateway.url.replace("http://127.0.0.1", "https://localhost")
            self.assertIn("SSLCertVerificationError", self.fails(url))
            with mock.patch.dict(os.environ, {"SSL_CERT_FILE": files["certfile"]}):
                self.assertEqual(self.post(url, times=2).status, 202)
                self.assertEqual(len(gateway.seen), 2)
                transport = Transport(url, 5)
                with mock.patch.dict(os.environ, {"SSL_CERT_FILE": "missing"}):
                    self.assertRaises(TransportError, transport.post, "/", {}, BODY)
                self.assertEqual(transport.post("/", {}, BODY).status, 202)
                transport.close()
                self.fails(url.replace("localhost", "127.0.0.1"))

    def test_a_proxy_from_the_environment(self) -> None:
        proxy = self.gateway()
        with mock.patch.dict(os.environ, {"http_proxy": proxy.url, "no_proxy": ""}):
            self.assertEqual(self.post("http://gateway.invalid/sluice").status, 202)
        [seen] = proxy.seen
        self.assertEqual((seen.headers["host"], seen.headers["x-a"]), ("gateway.invalid", "1"))
        with mock.patch.dict(os.environ, {"http_proxy": proxy.url, "no_proxy": "127.0.0.1"}):
            self.post(self.gateway().url)
        self.assertEqual(len(proxy.seen), 1)
