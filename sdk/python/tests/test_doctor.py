"""Tests the doctor against gateways with one fault each."""

from __future__ import annotations

import contextlib
import io
import json
import os
import threading
import time
import unittest
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

from scripted import Peer, ScriptedGateway
from sluice.__main__ import main
from sluice._doctor._api_key import find_key_flaw, mask_key

KEY = "slk_test_AbCdEfGhIjKl_0123456789abcdefghijABCDEFGHIJ0117R7Qz"
WHOAMI = {
    "kind": "api_key",
    "organization": {"id": "o", "name": "Example"},
    "name": "first",
    "scopes": ["ingest"],
    "expires_at": None,
}
Answers = dict[str, tuple[int, Any]]


class Gateway:
    """Responds according to the first part of the path, and records the requests."""

    def __init__(self, answers: Answers, date: str | None = None) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"null")
                gateway.requests.append((self.path, self.headers["Authorization"], body))
                route = "/".join(self.path.split("?")[0].split("/")[:3])
                is_receipt = self.command == "GET" and route == "/v1/ingest"
                status, answer = answers["stored" if is_receipt else route]
                text = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Location", "https://login.example.com/")
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_GET

            def date_time_string(self, timestamp: float | None = None) -> str:
                return date or formatdate(usegmt=True)

            def log_message(self, *_: Any) -> None:
                """Logs nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def refusal(status: int, code: str) -> tuple[int, Any]:
    return status, {"code": code, "title": "So it is", "status": status}


def trickle(peer: Peer) -> None:
    """Sends one byte at a time, each within the timeout."""
    peer.say(b"HTTP/1.1 200 -\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        peer.say(b" ")
        time.sleep(0.02)


class DoctorTest(unittest.TestCase):
    passing: Answers = {
        "/v1/auth": (200, WHOAMI),
        "/v1/ingest": (202, {"queued": True}),
        "stored": (200, {"state": "stored"}),
    }

    def run_doctor(self, *arguments: str, **environment: str) -> tuple[int, str]:
        lines = io.StringIO()
        with mock.patch.dict(os.environ, environment, clear=True):
            with contextlib.redirect_stdout(lines):
                code = main(["doctor", "--wait", "0", *arguments])
        text = lines.getvalue()
        for secret in (KEY, KEY[9:20], KEY[-6:]):
            self.assertNotIn(secret, text)
        return code, text

    def examine(self, answers: Answers, date: str | None = None) -> dict[str, dict[str, Any]]:
        """Returns the findings by check, and verifies the exit code."""
        self.gateway = Gateway({**self.passing, **answers}, date)
        self.addCleanup(self.gateway.close)
        environ = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": self.gateway.url}
        code, text = self.run_doctor("--json", **environ)
        report = json.loads(text)
        failed = [one["check"] for one in report["checks"] if one["state"] == "failed"]
        self.assertEqual((code, report["ok"]), (1 if failed else 0, not failed))
        self.assertTrue(all(one["hint"] for one in report["checks"] if one["state"] == "failed"))
        return {one["check"]: one for one in report["checks"]}

    def test_all_checks_pass(self) -> None:
        found = self.examine({})
        checks = ["settings", "key", "dns", "connection", "scope", "clock", "send", "stored"]
        self.assertEqual([*found], checks)
        self.assertEqual({one["state"] for one in found.values()}, {"ok"})
        [(_, authorization, _), (_, _, decision), (path, _, _)] = self.gateway.requests
        self.assertEqual(authorization, f"Bearer {KEY}")
        self.assertEqual(decision["agent_id"], "sluice-doctor")
        self.assertEqual(path, f"/v1/ingest/{decision['decision_id']}?wait=0")

    def test_the_text_output(self) -> None:
        gateway = Gateway({**self.passing, "/v1/auth": refusal(401, "api_key_invalid")})
        self.addCleanup(gateway.close)
        code, text = self.run_doctor("--base-url", gateway.url, SLUICE_API_KEY=KEY)
        self.assertEqual(code, 1)
        self.assertIn("✓ key        slk_test_… is well-formed\n", text)
        self.assertIn("✗ scope      401 api_key_invalid: So it is\n    → The key was revoked", text)
        self.assertTrue(text.endswith("Some checks failed: see the lines above.\n"))

    def test_nothing_is_set(self) -> None:
        code, text = self.run_doctor()
        self.assertEqual(code, 1)
        self.assertIn("Set SLUICE_BASE_URL", text)
        self.assertIn("Set SLUICE_API_KEY", text)

    def test_an_invalid_setting_and_a_disabled_client(self) -> None:
        environ = {"SLUICE_TIMEOUT_MS": "soon", "SLUICE_DISABLED": "true"}
        _, text = self.run_doctor(**environ)
        self.assertRegex(text, "✗ settings   SLUICE_TIMEOUT_MS must be")
        self.assertIn("Unset SLUICE_DISABLED.", text)

    def test_an_incomplete_key(self) -> None:
        for key in (KEY[:-1], f"{KEY[:-1]}x", f"{KEY[:9]}z{KEY[10:]}", "Bearer"):
            self.assertIsNotNone(find_key_flaw(key), key)
        self.assertIsNone(find_key_flaw(KEY))
        self.assertEqual((mask_key(KEY), mask_key("secret")), ("slk_test_…", "…"))
        gateway = Gateway(self.passing)
        self.addCleanup(gateway.close)
        environ = {"SLUICE_API_KEY": f"{KEY[:-1]}x", "SLUICE_BASE_URL": gateway.url}
        _, text = self.run_doctor(**environ)
        self.assertIn("✗ key        slk_test_… is malformed: the checksum does not match", text)
        self.assertEqual(gateway.requests, [])

    def test_a_host_that_does_not_resolve(self) -> None:
        environ = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": "http://nothing.invalid"}
        _, text = self.run_doctor(**environ)
        self.assertIn("✗ dns        nothing.invalid cannot be resolved", text)

    def test_a_closed_port(self) -> None:
        gateway = Gateway({})
        gateway.close()
        environ = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": gateway.url}
        _, text = self.run_doctor(**environ)
        self.assertRegex(text, r"✗ connection cannot connect to 127\.0\.0\.1:\d+")

    def test_https_to_a_gateway_without_tls(self) -> None:
        gateway = Gateway(self.passing)
        self.addCleanup(gateway.close)
        url = gateway.url.replace("http:", "https:")
        environ = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": url, "SLUICE_TIMEOUT_MS": "2000"}
        _, text = self.run_doctor(**environ)
        self.assertIn("the TLS handshake with 127.0.0.1:", text)
        self.assertIn("set SLUICE_BASE_URL to http://", text)

    def test_a_url_or_key_with_extra_characters(self) -> None:
        _, text = self.run_doctor(SLUICE_BASE_URL="127.0.0.1:1", SLUICE_API_KEY=f"Bearer {KEY}")
        self.assertIn("SLUICE_BASE_URL must be a URL such as https://sluice.example.com", text)
        self.assertIn("an API key such as slk_live_…, unquoted", text)

    def test_a_key_without_the_scope(self) -> None:
        found = self.examine({"/v1/auth": (200, {**WHOAMI, "scopes": ["evaluation:read"]})})
        actual = (found["scope"]["detail"], found["scope"]["hint"])
        about = 'key "first" of "Example" lacks the scope ingest; its scopes: evaluation:read'
        self.assertEqual(actual, (about, "Create an API key with the scope ingest."))
        self.assertNotIn("send", found)

    def test_a_url_of_another_server(self) -> None:
        nonsense = ({**WHOAMI, "scopes": 5}, {**WHOAMI, "organization": "o"}, {"code": 5})
        wrong = ((200, "<html>"), (302, ""), (500, "oops"), (200, []), (200, "[" * 100_000))
        for answer in (*wrong, *((200, body) for body in nonsense)):
            found = self.examine({"/v1/auth": answer})
            self.assertIn("not a Sluice gateway", found["scope"]["detail"])

    def test_a_gateway_that_responds_one_byte_at_a_time(self) -> None:
        gateway = ScriptedGateway(trickle)
        self.addCleanup(gateway.close)
        environ = {
            "SLUICE_API_KEY": KEY,
            "SLUICE_BASE_URL": gateway.url,
            "SLUICE_TIMEOUT_MS": "400",
        }
        began = time.monotonic()
        _, text = self.run_doctor(**environ)
        self.assertLess(time.monotonic() - began, 10)
        self.assertIn("✗ scope      no response: ", text)

    def test_a_gateway_that_only_accepts_decisions(self) -> None:
        gone = refusal(404, "route_not_found")
        found = self.examine({"/v1/auth": gone, "stored": gone})
        states = {name: one["state"] for name, one in found.items()}
        self.assertEqual((states["scope"], states["send"], states["stored"]), SKIPS)

    def test_a_wrong_clock(self) -> None:
        found = self.examine({}, "Mon, 01 Jan 2024 00:00:00 GMT")
        self.assertRegex(found["clock"]["detail"], r"^\d+ s ahead of the gateway")
        self.assertEqual(found["stored"]["state"], "ok")

    def test_an_invalid_date_header(self) -> None:
        self.assertEqual(self.examine({}, "today")["clock"]["state"], "skipped")

    def test_a_rejected_decision(self) -> None:
        found = self.examine({"/v1/ingest": refusal(429, "rate_limited")})
        self.assertRegex(found["send"]["detail"], "429 rate_limited")
        self.assertNotIn("stored", found)

    def test_a_decision_that_is_never_stored(self) -> None:
        found = self.examine({"stored": refusal(404, "decision_not_found")})
        self.assertEqual(found["stored"]["detail"], "not stored within 0 s")

    def test_an_ascii_output_gets_words_instead_of_marks(self) -> None:
        lines = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with mock.patch.dict(os.environ, {}, clear=True), contextlib.redirect_stdout(lines):
            main(["doctor"])
        lines.seek(0)
        self.assertIn("FAIL settings", lines.read())


SKIPS = ("skipped", "ok", "skipped")


if __name__ == "__main__":
    unittest.main()
