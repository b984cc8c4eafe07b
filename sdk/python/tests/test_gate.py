"""Tests the pauses and the breaker of the gate."""

from __future__ import annotations

import unittest

from sluice._gate import Gate
from sluice._options import resolve


def gate(draw: float = 1.0) -> Gate:
    options = {"retry_base_ms": 100, "retry_cap_ms": 1000, "breaker_ms": 5000}
    return Gate(resolve(options, {}), lambda: draw)


class GateTest(unittest.TestCase):
    def test_pauses_double_up_to_the_cap(self) -> None:
        made = gate()
        pauses = []
        for now in range(0, 60, 10):
            made.fail(now, None)
            pauses.append(round(made.opens_at - now, 3))
        self.assertEqual(pauses, [0.1, 0.2, 0.4, 0.8, 1.0, 1.0])

    def test_pauses_are_random(self) -> None:
        made = gate(0.5)
        made.fail(0, None)
        self.assertEqual(made.opens_at, 0.05)

    def test_retry_after_is_a_minimum_with_a_cap_and_outlives_a_success(self) -> None:
        made = gate()
        made.fail(0, 2.0)
        made.succeed(1)
        self.assertEqual(made.opens_at, 2.0)
        made.fail(0, 1e9)
        self.assertEqual(made.opens_at, 300.0)

    def test_a_success_resets_the_failures(self) -> None:
        made = gate()
        for _ in range(5):
            made.fail(0, None)
        self.assertEqual(made.in_flight_max, 1)
        made.succeed(0)
        self.assertEqual((made.opens_at, made.in_flight_max), (0.0, 2))
        made.fail(10, None)
        self.assertEqual(made.opens_at, 10.1)

    def test_the_breaker(self) -> None:
        made = gate()
        made.trip(1)
        self.assertEqual((made.opens_at, made.in_flight_max), (6.0, 1))
        made.succeed(5.9)
        self.assertEqual((made.opens_at, made.in_flight_max), (6.0, 1))
        made.succeed(6)
        self.assertEqual((made.opens_at, made.in_flight_max), (6.0, 2))
