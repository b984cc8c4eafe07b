"""The doctor, against gateways that have one thing wrong each."""

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
from sluice._doctor._api_key import flaw_of, shown

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
    """Answers by the first part of a path, and keeps what it was asked."""

    def __init__(self, answers: Answers, date: str | None = None) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length) or b"null")
                gateway.asked.append((self.path, self.headers["Authorization"], body))
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
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def refusal(status: int, code: str) -> tuple[int, Any]:
    return status, {"code": code, "title": "So it is", "status": status}


def trickle(peer: Peer) -> None:
    """Each byte comes soon after the last."""
    peer.say(b"HTTP/1.1 200 -\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        peer.say(b" ")
        time.sleep(0.02)


class DoctorTest(unittest.TestCase):
    well: Answers = {
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
        """Findings by their check; the exit code says whether any failed."""
        self.gateway = Gateway({**self.well, **answers}, date)
        self.addCleanup(self.gateway.close)
        told = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": self.gateway.url}
        code, text = self.run_doctor("--json", **told)
        report = json.loads(text)
        failed = [one["check"] for one in report["checks"] if one["state"] == "failed"]
        self.assertEqual((code, report["ok"]), (1 if failed else 0, not failed))
        self.assertTrue(all(one["hint"] for one in report["checks"] if one["state"] == "failed"))
        return {one["check"]: one for one in report["checks"]}

    def test_all_is_well(self) -> None:
        found = self.examine({})
        checks = ["settings", "key", "dns", "connection", "scope", "clock", "send", "stored"]
        self.assertEqual([*found], checks)
        self.assertEqual({one["state"] for one in found.values()}, {"ok"})
        [(_, authorization, _), (_, _, decision), (path, _, _)] = self.gateway.asked
        self.assertEqual(authorization, f"Bearer {KEY}")
        self.assertEqual(decision["agent_id"], "sluice-doctor")
        self.assertEqual(path, f"/v1/ingest/{decision['decision_id']}?wait=0")

    def test_lines_for_people(self) -> None:
        gateway = Gateway({**self.well, "/v1/auth": refusal(401, "api_key_invalid")})
        self.addCleanup(gateway.close)
        code, text = self.run_doctor("--base-url", gateway.url, SLUICE_API_KEY=KEY)
        self.assertEqual(code, 1)
        self.assertIn("✓ key        slk_test_… was copied whole\n", text)
        self.assertIn("✗ scope      401 api_key_invalid: So it is\n    → It was revoked", text)
        self.assertTrue(text.endswith("Something is not well: see the lines above.\n"))

    def test_nothing_is_set(self) -> None:
        code, text = self.run_doctor()
        self.assertEqual(code, 1)
        self.assertIn("Set SLUICE_BASE_URL", text)
        self.assertIn("Set SLUICE_API_KEY", text)

    def test_a_wrong_setting_and_a_disabled_client(self) -> None:
        told = {"SLUICE_TIMEOUT_MS": "soon", "SLUICE_DISABLED": "true"}
        _, text = self.run_doctor(**told)
        self.assertRegex(text, "✗ settings   SLUICE_TIMEOUT_MS must be")
        self.assertIn("Unset SLUICE_DISABLED.", text)

    def test_a_key_that_was_not_copied_whole(self) -> None:
        for key in (KEY[:-1], f"{KEY[:-1]}x", f"{KEY[:9]}z{KEY[10:]}", "Bearer"):
            self.assertIsNotNone(flaw_of(key), key)
        self.assertIsNone(flaw_of(KEY))
        self.assertEqual((shown(KEY), shown("secret")), ("slk_test_…", "…"))
        gateway = Gateway(self.well)
        self.addCleanup(gateway.close)
        told = {"SLUICE_API_KEY": f"{KEY[:-1]}x", "SLUICE_BASE_URL": gateway.url}
        _, text = self.run_doctor(**told)
        self.assertIn("✗ key        slk_test_… cannot be right: its checksum is wrong", text)
        self.assertEqual(gateway.asked, [])

    def test_a_host_without_address(self) -> None:
        told = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": "http://nothing.invalid"}
        _, text = self.run_doctor(**told)
        self.assertIn("✗ dns        nothing.invalid has no address", text)

    def test_a_port_that_nobody_listens_at(self) -> None:
        gateway = Gateway({})
        gateway.close()
        told = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": gateway.url}
        _, text = self.run_doctor(**told)
        self.assertRegex(text, r"✗ connection 127\.0\.0\.1:\d+ cannot be reached")

    def test_https_to_a_gateway_without(self) -> None:
        gateway = Gateway(self.well)
        self.addCleanup(gateway.close)
        url = gateway.url.replace("http:", "https:")
        told = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": url, "SLUICE_TIMEOUT_MS": "2000"}
        _, text = self.run_doctor(**told)
        self.assertIn("not with TLS that can be trusted", text)
        self.assertIn("A gateway without TLS has http://", text)

    def test_an_address_or_a_key_with_something_around_it(self) -> None:
        _, text = self.run_doctor(SLUICE_BASE_URL="127.0.0.1:1", SLUICE_API_KEY=f"Bearer {KEY}")
        self.assertIn("SLUICE_BASE_URL must be an address such as https://sluice.example.com", text)
        self.assertIn("a key such as slk_live_…, with nothing around it", text)

    def test_a_key_without_the_scope(self) -> None:
        found = self.examine({"/v1/auth": (200, {**WHOAMI, "scopes": ["evaluation:read"]})})
        told = (found["scope"]["detail"], found["scope"]["hint"])
        about = 'key "first" of "Example" may only evaluation:read'
        self.assertEqual(told, (about, "Make a key with the scope ingest."))
        self.assertNotIn("send", found)

    def test_something_else_at_the_address(self) -> None:
        nonsense = ({**WHOAMI, "scopes": 5}, {**WHOAMI, "organization": "o"}, {"code": 5})
        wrong = ((200, "<html>"), (302, ""), (500, "oops"), (200, []), (200, "[" * 100_000))
        for answer in (*wrong, *((200, body) for body in nonsense)):
            found = self.examine({"/v1/auth": answer})
            self.assertIn("no Sluice gateway", found["scope"]["detail"])

    def test_a_gateway_that_answers_a_byte_at_a_time(self) -> None:
        gateway = ScriptedGateway(trickle)
        self.addCleanup(gateway.close)
        told = {"SLUICE_API_KEY": KEY, "SLUICE_BASE_URL": gateway.url, "SLUICE_TIMEOUT_MS": "400"}
        began = time.monotonic()
        _, text = self.run_doctor(**told)
        self.assertLess(time.monotonic() - began, 10)
        self.assertIn("✗ scope      there was no answer: ", text)

    def test_a_gateway_that_only_takes_decisions(self) -> None:
        gone = refusal(404, "route_not_found")
        found = self.examine({"/v1/auth": gone, "stored": gone})
        states = {name: one["state"] for name, one in found.items()}
        self.assertEqual((states["scope"], states["send"], states["stored"]), SKIPS)

    def test_a_clock_that_is_wrong(self) -> None:
        found = self.examine({}, "Mon, 01 Jan 2024 00:00:00 GMT")
        self.assertRegex(found["clock"]["detail"], r"^\d+ s ahead of that of the gateway")
        self.assertEqual(found["stored"]["state"], "ok")

    def test_a_time_that_is_none(self) -> None:
        self.assertEqual(self.examine({}, "today")["clock"]["state"], "skipped")

    def test_a_decision_that_is_refused(self) -> None:
        found = self.examine({"/v1/ingest": refusal(429, "rate_limited")})
        self.assertRegex(found["send"]["detail"], "429 rate_limited")
        self.assertNotIn("stored", found)

    def test_a_decision_that_is_never_stored(self) -> None:
        found = self.examine({"stored": refusal(404, "decision_not_found")})
        self.assertEqual(found["stored"]["detail"], "not within 0 s")

    def test_an_output_without_marks_gets_words(self) -> None:
        lines = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with mock.patch.dict(os.environ, {}, clear=True), contextlib.redirect_stdout(lines):
            main(["doctor"])
        lines.seek(0)
        self.assertIn("FAIL settings", lines.read())


SKIPS = ("skipped", "ok", "skipped")


if __name__ == "__main__":
    unittest.main()
