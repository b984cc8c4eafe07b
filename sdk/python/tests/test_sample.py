"""Tests which decisions are sampled, and how many."""

from __future__ import annotations

import unittest

from sluice._sample import is_sampled


class SamplingTest(unittest.TestCase):
    def test_the_share_matches_the_rate(self) -> None:
        for rate in (0.0, 0.1, 0.5, 1.0):
            kept = sum(is_sampled(f"session-{n}", rate) for n in range(4000))
            self.assertAlmostEqual(kept / 4000, rate, delta=0.03)

    def test_keys_sampled_at_a_low_rate_are_sampled_at_a_higher_one(self) -> None:
        keys = [f"k{n}" for n in range(500)]
        low = {key for key in keys if is_sampled(key, 0.2)}
        self.assertLessEqual(low, {key for key in keys if is_sampled(key, 0.6)})
