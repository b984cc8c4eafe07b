"""Tests the options against the shared list, and the handling of invalid values."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from sluice._ledger import DROP_REASONS
from sluice._options import CALLBACKS, OPTIONS, InitOptions, resolve

SHARED = Path(__file__).resolve().parents[2] / "conformance" / "options.json"


class OptionsTest(unittest.TestCase):
    @unittest.skipUnless(SHARED.exists(), "only in the repository")
    def test_options_match_the_shared_list(self) -> None:
        shared = json.loads(SHARED.read_text("utf-8"))
        ours = [
            {
                "name": option.name,
                "env": option.env,
                "type": option.kind,
                "default": option.default,
                **({"choices": list(option.choices)} if option.kind == "choice" else {}),
                **(
                    {"min": option.least, "max": option.most}
                    if option.kind in ("number", "integer")
                    else {}
                ),
            }
            for option in OPTIONS
        ]
        theirs = [
            {name: value for name, value in option.items() if name != "about"}
            for option in shared["options"]
        ]
        self.assertEqual(ours, theirs)
        self.assertEqual(list(CALLBACKS), shared["callbacks"])
        self.assertEqual(list(DROP_REASONS), list(shared["drop_reasons"]))
        names = [option.name for option in OPTIONS]
        self.assertEqual([*names, *CALLBACKS], list(InitOptions.__annotations__))

    def test_an_option_overrides_the_environment(self) -> None:
        environ = {"SLUICE_API_KEY": "theirs", "SLUICE_BATCH_MAX_ITEMS": "7", "SLUICE_DEBUG": "1"}
        settings = resolve({"api_key": "ours"}, environ)
        self.assertEqual((settings.api_key, settings.batch_max_items), ("ours", 7))
        self.assertTrue(settings.debug)
        self.assertEqual(settings.warnings, ())

    def test_an_invalid_value_warns_and_uses_the_default(self) -> None:
        wrong: dict[str, Any] = {
            "api_key": "sk\nx",
            "base_url": "ftp://x",
            "mode": "fast",
            "sample_rate": "often",
            "batch_max_items": 0,
            "queue_max_bytes": 10**400,
            "timeout_ms": 1.5,
            "retry_base_ms": float("nan"),
            "disabled": "maybe",
            "on_drop": "yes",
        }
        settings = resolve(wrong, {"SLUICE_SHUTDOWN_MS": "-1"})
        defaults = resolve({}, {})
        self.assertEqual(settings.__dict__ | {"warnings": ()}, defaults.__dict__)
        self.assertEqual(len(settings.warnings), len(wrong) + 1)
        for name in [*wrong, "SLUICE_SHUTDOWN_MS"]:
            self.assertTrue(any(name in warning for warning in settings.warnings), name)
        self.assertNotIn("sk", settings.warnings[0])

    def test_nothing_is_sent_if_redact_is_not_callable(self) -> None:
        wrong: dict[str, Any] = {"redact": "all"}
        settings = resolve(wrong, {})
        self.assertIn("redact must be a function", settings.warnings[0])
        assert settings.redact is not None
        with self.assertRaisesRegex(TypeError, "redact is not a function"):
            settings.redact({"input": 1, "output": ""})

    def test_white_space_around_a_variable_is_ignored(self) -> None:
        environ = {"SLUICE_API_KEY": "slk_x\n", "SLUICE_MODE": " batched ", "SLUICE_DOMAIN": " "}
        settings = resolve({}, environ)
        values = (settings.api_key, settings.mode, settings.domain, settings.warnings)
        self.assertEqual(values, ("slk_x", "batched", None, ()))

    def test_an_unknown_name_warns_with_the_closest_one(self) -> None:
        [warning] = resolve({"apikey": "x"}, {}).warnings
        self.assertIn("did you mean api_key?", warning)

    def test_urls(self) -> None:
        for url in ("https://a.example", "http://[::1]:8080/sluice/", "http://a:1"):
            self.assertEqual(resolve({"base_url": url}, {}).base_url, url.rstrip("/"))
        for url in ("a.example", "https://", "http://u:p@a", "http://a?q=1", "http://a:x", 1):
            self.assertIsNone(resolve({"base_url": url}, {}).base_url, url)

    def test_auto_is_immediate_on_hosts_that_freeze(self) -> None:
        self.assertEqual(resolve({}, {"AWS_LAMBDA_FUNCTION_NAME": "f"}).mode, "immediate")
        self.assertEqual(resolve({}, {}).mode, "batched")
        self.assertEqual(resolve({"mode": "batched"}, {"VERCEL": "1"}).mode, "batched")
