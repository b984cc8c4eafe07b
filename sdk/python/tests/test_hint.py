"""What a failed request is said to mean, and that it says what to do."""

from __future__ import annotations

import unittest

from sluice._hint import hint_of
from sluice._options import resolve
from sluice._verdict import Verdict

DOCTOR = "`python -m sluice doctor` finds out why"


class HintTest(unittest.TestCase):
    def hint(self, told: str, is_misconfigured: bool = False, is_again: bool = True) -> str:
        given = {"api_key": "slk_live_abc_secret", "base_url": "https://sluice.example.com/x"}
        verdict = Verdict([], told, is_misconfigured=is_misconfigured, is_again=is_again)
        hint = hint_of(resolve({}, {f"SLUICE_{k.upper()}": v for k, v in given.items()}), verdict)
        self.assertNotIn("secret", hint)
        return hint

    def test_a_wrong_setting_names_what_is_to_be_changed_and_the_doctor(self) -> None:
        whats = {
            "401 api_key_invalid": r"check SLUICE_API_KEY \(slk_live_…\)",
            "403 scope_missing": "scope ingest",
            "404": r"no gateway at SLUICE_BASE_URL \(sluice\.example\.com\)",
        }
        for told, what in whats.items():
            hint = self.hint(told, is_misconfigured=True)
            self.assertRegex(hint, what)
            self.assertTrue(hint.endswith(DOCTOR), hint)

    def test_no_answer_asks_what_somebody_would_look_at_first(self) -> None:
        hint = self.hint("ConnectionRefusedError: Connection refused")
        self.assertRegex(hint, "^is the gateway at sluice.example.com running, and is SLUICE_BASE")
        self.assertTrue(hint.endswith(DOCTOR), hint)
        tls = self.hint("SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number")
        self.assertRegex(tls, "^a gateway without TLS has http://")

    def test_other_answers(self) -> None:
        self.assertRegex(self.hint("302", is_misconfigured=True), "redirects are not followed")
        self.assertRegex(self.hint("422 invalid", is_again=False), r"for good; docs/errors\.md")
        self.assertRegex(self.hint("429 rate_limited"), "more is logged than")
        self.assertRegex(self.hint("503 overloaded"), "cannot take decisions now")
