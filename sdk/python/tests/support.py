"""Provides a gateway that acknowledges everything, and a client that sends to it."""

from __future__ import annotations

import gzip
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import sluice

KEY = "slk_test_000000000000_00000000000000000000000000000000000000"


class Gateway:
    """Accepts every batch and records its decisions."""

    def __init__(self) -> None:
        self.decisions: list[dict[str, Any]] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                taken = json.loads(body).get("decisions", [])
                gateway.decisions += taken
                results = [
                    {"index": index, "decision_id": decision["decision_id"], "queued": True}
                    for index, decision in enumerate(taken)
                ]
                answer = json.dumps({"results": results}).encode()
                self.send_response(202)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Stops accepting connections."""
        self._server.shutdown()
        self._server.server_close()


class ClientTestCase(unittest.TestCase):
    """Gives each test a gateway and a client. `decisions()` returns the received decisions."""

    def setUp(self) -> None:
        self.gateway = Gateway()
        self.addCleanup(self.gateway.close)
        self.client = sluice.init(
            api_key=KEY, base_url=self.gateway.url, batch_interval_ms=1, agent_id="default"
        )
        self.addCleanup(self.client.close)

    def decisions(self) -> list[dict[str, Any]]:
        """Returns everything logged so far, in logging order."""
        result = self.client.flush(timeout_ms=10_000)
        self.assertEqual((result.failed, result.dropped, result.pending), (0, 0, 0))
        self.assertEqual(self.dropped(), {})
        return sorted(self.gateway.decisions, key=lambda decision: decision["decision_id"])

    def decision(self) -> dict[str, Any]:
        """Returns the only decision logged."""
        [decision] = self.decisions()
        return decision

    def dropped(self) -> dict[str, int]:
        """Returns the counts of dropped decisions by reason."""
        self.client.flush(timeout_ms=10_000)
        return {reason: count for reason, count in self.client.stats().dropped.items() if count}
