"""Tests the hints about failed requests."""

from __future__ import annotations

import unittest

from sluice._batch_result import BatchResult
from sluice._hint import hint_of
from sluice._options import resolve

DOCTOR = "run `python -m sluice doctor`"


class HintTest(unittest.TestCase):
    def hint(self, summary: str, is_misconfigured: bool = False, is_retryable: bool = True) -> str:
        given = {"api_key": "slk_live_abc_secret", "base_url": "https://sluice.example.com/x"}
        result = BatchResult(
            [], summary, is_misconfigured=is_misconfigured, is_retryable=is_retryable
        )
        hint = hint_of(resolve({}, {f"SLUICE_{k.upper()}": v for k, v in given.items()}), result)
        self.assertNotIn("secret", hint)
        return hint

    def test_a_wrong_setting_is_named_with_the_doctor(self) -> None:
        whats = {
            "401 api_key_invalid": r"check SLUICE_API_KEY \(slk_live_…\)",
            "403 scope_missing": "scope ingest",
            "404": r"check SLUICE_BASE_URL \(sluice\.example\.com\)",
        }
        for summary, what in whats.items():
            hint = self.hint(summary, is_misconfigured=True)
            self.assertRegex(hint, what)
            self.assertTrue(hint.endswith(DOCTOR), hint)

    def test_no_response_suggests_checking_the_gateway(self) -> None:
        hint = self.hint("ConnectionRefusedError: Connection refused")
        self.assertRegex(
            hint, r"^check that a gateway runs at SLUICE_BASE_URL \(sluice\.example\.com\);"
        )
        self.assertTrue(hint.endswith(DOCTOR), hint)
        tls = self.hint("SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number")
        self.assertRegex(tls, "^the gateway does not use TLS; use http://")

    def test_other_responses(self) -> None:
        self.assertRegex(self.hint("302", is_misconfigured=True), "redirects are not followed")
        self.assertRegex(
            self.hint("422 invalid", is_retryable=False),
            r"rejected; see docs/reference/errors\.md",
        )
        self.assertRegex(self.hint("429 rate_limited"), "rate limit is reached")
        self.assertRegex(self.hint("503 overloaded"), "cannot accept decisions now")
