"""What each answer means for the decisions of a batch."""

from __future__ import annotations

import json
import unittest
from typing import Any

from sluice._verdict import Fate, Response, read_verdict

NOW = 1_700_000_000.0
SENT, AGAIN, REFUSED = Fate.SENT, Fate.AGAIN, Fate.REFUSED


def verdict(status: int, body: Any, count: int = 2, **headers: str) -> Any:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    return read_verdict(
        Response(status, {name.replace("_", "-"): text for name, text in headers.items()}, data),
        [f"id-{number}" for number in range(count)],
        NOW,
    )


def results(*items: Any) -> Any:
    return {"results": list(items)}


QUEUED: Any = {"queued": True}


class VerdictTest(unittest.TestCase):
    def test_item_by_item(self) -> None:
        again = {"queued": False, "retryable": True, "problem": {"code": "rate_limited"}}
        never = {"queued": False, "retryable": False}
        for status in (202, 207, 429, 503):
            found = verdict(status, results(QUEUED, again, never), 3)
            self.assertEqual(found.fates, [SENT, AGAIN, REFUSED])
            self.assertEqual(found.is_taken, status < 300)
        self.assertEqual(verdict(207, results(QUEUED, again)).told, "207 rate_limited")

    def test_what_is_no_answer_of_a_gateway_acknowledges_nothing(self) -> None:
        bodies: list[Any] = [
            b"<html>",
            b"",
            None,
            [],
            {"results": "two"},
            results(QUEUED),
            results(QUEUED, QUEUED, QUEUED),
            results(QUEUED, {**QUEUED, "decision_id": "id-0"}),
            b"[" * 100_000,
        ]
        for body in bodies:
            found = verdict(202, body)
            self.assertEqual((found.fates, found.is_taken), ([AGAIN, AGAIN], False))
            self.assertTrue(found.is_again)

    def test_an_item_that_cannot_be_read_is_no_refusal(self) -> None:
        for item in (None, "no", {}, {"queued": "yes"}, {"queued": False}):
            self.assertEqual(verdict(207, results(QUEUED, item)).fates, [SENT, AGAIN], item)

    def test_statuses(self) -> None:
        for status in (408, 425, 429, 500, 502, 503, 504, 599):
            self.assertEqual(verdict(status, {"code": "x"}).fates, [AGAIN, AGAIN], status)
        for status in (400, 409, 415, 418, 422):
            self.assertEqual(verdict(status, {}).fates, [REFUSED, REFUSED], status)
        for status in (301, 304, 308, 401, 403, 404, 405):
            found = verdict(status, {})
            self.assertEqual((found.fates[0], found.is_misconfigured), (Fate.UNAUTHORIZED, True))
        self.assertEqual(verdict(413, {}).fates[0], Fate.TOO_LARGE)

    def test_only_a_code_is_told(self) -> None:
        self.assertEqual(verdict(503, {"code": "log_unavailable"}).told, "503 log_unavailable")
        self.assertEqual(verdict(503, {"code": "YOUR INPUT", "detail": "x"}).told, "503")

    def test_retry_after(self) -> None:
        cases = {
            "7": 7.0,
            " 7 ": 7.0,
            "Tue, 14 Nov 2023 22:13:30 GMT": 10.0,
            "Tue, 14 Nov 2023 22:13:10 GMT": 0.0,
            "soon": None,
            "-1": None,
            "": None,
            "1.5": None,
        }
        for text, seconds in cases.items():
            self.assertEqual(verdict(429, {}, retry_after=text).retry_after_s, seconds, text)
        self.assertEqual(verdict(500, {}, retry_after="7").retry_after_s, 7.0)
        self.assertIsNone(verdict(400, {}, retry_after="7").retry_after_s)
