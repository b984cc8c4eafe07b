"""Tests the rate limits of callbacks and stderr lines."""

from __future__ import annotations

import contextlib
import io
import unittest
from typing import Any

from sluice._notices import Notices
from sluice._options import resolve


class NoticesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 100.0
        self.calls: list[Any] = []
        self.stderr = io.StringIO()

    def notices(self, **options: Any) -> Notices:
        return Notices(resolve(options, {}), lambda: self.now)

    def deliver(self, notices: Notices, is_last: bool = False) -> list[str]:
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr):
            notices.deliver(is_last)
        return stderr.getvalue().splitlines()

    def test_prints_the_first_problem_immediately_then_a_summary_per_minute(self) -> None:
        notices = self.notices()
        notices.error("send", "503", 5, "wait")
        self.assertEqual(self.deliver(notices), ["sluice: a request failed (503): wait"])
        for _ in range(3):
            notices.error("send", "429", 5, "wait")
        notices.drop("queue_full")
        self.now += 59
        self.assertEqual(self.deliver(notices), [])
        self.assertEqual(notices.due_at(), 160.0)
        self.now += 1
        [line] = self.deliver(notices)
        self.assertIn("failed requests: 3 (latest: 429)", line)
        self.assertIn("dropped decisions: 1 (queue_full 1)", line)
        self.now += 600
        self.assertEqual(self.deliver(notices), [])
        self.assertIsNone(notices.due_at())

    def test_calls_callbacks_once_a_second_with_the_sum(self) -> None:
        notices = self.notices(on_drop=self.calls.append)
        for _ in range(3):
            notices.drop("queue_full")
        self.deliver(notices)
        for _ in range(4):
            notices.drop("queue_full")
        notices.drop("invalid")
        self.deliver(notices)
        self.assertEqual(notices.due_at(), 101.0)
        self.now += 1
        self.deliver(notices)
        notices.drop("queue_full")
        self.deliver(notices, is_last=True)
        self.assertEqual(
            [(each["reason"], each["count"]) for each in self.calls],
            [("queue_full", 3), ("invalid", 1), ("queue_full", 4), ("queue_full", 1)],
        )

    def test_errors_have_a_stage_and_a_count(self) -> None:
        notices = self.notices(on_error=lambda error, about: self.calls.append((str(error), about)))
        notices.error("send", "503", 5)
        notices.error("send", "504", 6)
        self.deliver(notices)
        self.assertEqual(self.calls, [("504", {"stage": "send", "count": 11})])

    def test_suppresses_errors_of_callbacks(self) -> None:
        def fail(*_: Any) -> None:
            raise SystemExit

        notices = self.notices(on_drop=fail, on_error=fail)
        notices.drop("invalid")
        notices.error("encode", "x", 1)
        self.deliver(notices)
        self.assertEqual(self.deliver(notices), [])
