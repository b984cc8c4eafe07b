"""Tests how each response affects the decisions of a batch."""

from __future__ import annotations

import json
import unittest
from typing import Any

from sluice._batch_result import ItemResult, Response, read_batch_result

NOW = 1_700_000_000.0
SENT, RETRY, REFUSED = ItemResult.SENT, ItemResult.RETRY, ItemResult.REFUSED


def result_of(status: int, body: Any, count: int = 2, **headers: str) -> Any:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    return read_batch_result(
        Response(status, {name.replace("_", "-"): text for name, text in headers.items()}, data),
        [f"id-{number}" for number in range(count)],
        NOW,
    )


def results(*items: Any) -> Any:
    return {"results": list(items)}


QUEUED: Any = {"queued": True}


class BatchResultTest(unittest.TestCase):
    def test_reads_one_result_per_decision(self) -> None:
        again = {"queued": False, "retryable": True, "problem": {"code": "rate_limited"}}
        never = {"queued": False, "retryable": False}
        for status in (202, 207, 429, 503):
            found = result_of(status, results(QUEUED, again, never), 3)
            self.assertEqual(found.items, [SENT, RETRY, REFUSED])
            self.assertEqual(found.is_accepted, status < 300)
        self.assertEqual(result_of(207, results(QUEUED, again)).summary, "207 rate_limited")

    def test_a_response_not_from_a_gateway_acknowledges_nothing(self) -> None:
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
            found = result_of(202, body)
            self.assertEqual((found.items, found.is_accepted), ([RETRY, RETRY], False))
            self.assertTrue(found.is_retryable)

    def test_an_unreadable_item_is_retried(self) -> None:
        for item in (None, "no", {}, {"queued": "yes"}, {"queued": False}):
            self.assertEqual(result_of(207, results(QUEUED, item)).items, [SENT, RETRY], item)

    def test_statuses(self) -> None:
        for status in (408, 425, 429, 500, 502, 503, 504, 599):
            self.assertEqual(result_of(status, {"code": "x"}).items, [RETRY, RETRY], status)
        for status in (400, 409, 415, 418, 422):
            self.assertEqual(result_of(status, {}).items, [REFUSED, REFUSED], status)
        for status in (301, 304, 308, 401, 403, 404, 405):
            found = result_of(status, {})
            self.assertEqual(
                (found.items[0], found.is_misconfigured), (ItemResult.UNAUTHORIZED, True)
            )
        self.assertEqual(result_of(413, {}).items[0], ItemResult.TOO_LARGE)

    def test_only_the_code_of_a_response_is_shown(self) -> None:
        self.assertEqual(result_of(503, {"code": "log_unavailable"}).summary, "503 log_unavailable")
        self.assertEqual(result_of(503, {"code": "YOUR INPUT", "detail": "x"}).summary, "503")

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
            self.assertEqual(result_of(429, {}, retry_after=text).retry_after_s, seconds, text)
        self.assertEqual(result_of(500, {}, retry_after="7").retry_after_s, 7.0)
        self.assertIsNone(result_of(400, {}, retry_after="7").retry_after_s)
