"""Tests the format of ids, and that each id is greater than the previous one."""

from __future__ import annotations

import re
import unittest
import uuid

from sluice._uuid7 import Uuid7

FORM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class Uuid7Test(unittest.TestCase):
    def test_format_and_time(self) -> None:
        made = Uuid7(lambda: 1_700_000_000.123).make()
        self.assertRegex(made, FORM)
        self.assertEqual(uuid.UUID(made).int >> 80, 1_700_000_000_123)

    def test_each_id_is_greater_whatever_the_clock_does(self) -> None:
        times = iter([2.0, 2.0, 2.0, 1.0, 2.001, 0.5] * 200)
        ids = Uuid7(lambda: next(times))
        made = [ids.make() for _ in range(1200)]
        self.assertEqual(made, sorted(set(made)))
        for each in made:
            self.assertRegex(each, FORM)

    def test_a_reset_draws_new_random_numbers(self) -> None:
        ids = Uuid7(lambda: 1.0)
        first = ids.make()
        ids.reset()
        self.assertNotEqual(first[15:], ids.make()[15:])
