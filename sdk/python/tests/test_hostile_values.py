"""Tests that logging hostile values neither crashes nor blocks the host program, and never
produces invalid decisions.
"""

from __future__ import annotations

import json
import unittest
from collections.abc import Iterator, Mapping
from typing import Any

from sluice._decision import agent_id_of, compose, decision_id_of
from sluice._digits import digits_of, integer_of
from sluice._doctor._finding import failed, ok
from sluice._encode import copy_plain
from sluice._options import resolve
from sluice._plain import TooLarge
from sluice._wire import encode

_SIZE_MAX = 1 << 20


class _NoMembers(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        raise ValueError("PRIVATE-PAYLOAD")

    def __len__(self) -> int:
        return 1


class _SaysItHasMore(_NoMembers):
    def __iter__(self) -> Iterator[str]:
        return iter(())


class _Endless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[int]:
        while True:
            yield 1


class _EndlessItems(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return ((str(number), 1) for number in _Endless())


class _NoLength:
    def __len__(self) -> int:
        raise KeyError("PRIVATE-PAYLOAD")


class _NeitherTrueNorFalse:
    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class UUID:
    """Shares only its name with uuid.UUID."""

    def __str__(self) -> str:
        raise ValueError("no text")


class _SaysOther(str):
    def lower(self) -> str:
        return '","agent_id":"another'


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    assert len(members) == len(pairs), pairs
    return members


def _sent(**fields: Any) -> Any:
    decision, notes = compose({"output": "o", **fields}, {})
    data, _ = encode("id", decision, notes, _SIZE_MAX)
    return json.loads(data, object_pairs_hook=_single)


class HostileValuesTest(unittest.TestCase):
    def test_unreadable_metadata_keeps_the_json_valid(self) -> None:
        sent = _sent(input=float("nan"), metadata=_NoMembers())
        self.assertEqual(
            sent["metadata"]["sdk_changes"],
            ["/input: not_finite", "/metadata: unreadable", "/metadata: wrong_type"],
        )
        sent = _sent(input=float("nan"), metadata=_SaysItHasMore())
        self.assertEqual(sent["metadata"], {"sdk_changes": ["/input: not_finite"]})
        copy = copy_plain({"input": 1, "metadata": _NoMembers()}, [], _SIZE_MAX)
        self.assertEqual(len(copy["metadata"]["sdk_changes"]), 2)

    def test_a_member_named_sdk_changes_is_not_duplicated(self) -> None:
        for own in ("mine", ["mine", 1]):
            sent = _sent(input=float("nan"), metadata={"sdk_changes": own, "a": 1})
            self.assertEqual(sent["metadata"], {"sdk_changes": ["/input: not_finite"], "a": 1})

    def test_endless_values_are_too_large(self) -> None:
        for endless in (_Endless([1]), _EndlessItems(a=1)):
            with self.assertRaises(TooLarge):
                _sent(input=endless)
        with self.assertRaises(TooLarge):
            _sent(input=1, metadata=_EndlessItems(a=1))

    def test_many_long_integers_are_rejected_before_conversion(self) -> None:
        with self.assertRaises(TooLarge):
            _sent(input=[10**4000] * 500_000)

    def test_an_object_without_length_is_a_value(self) -> None:
        self.assertEqual(_sent(input=_NoLength())["input"], "[_NoLength]")

    def test_a_long_error_name_is_cut(self) -> None:
        name = "E" * 300_000

        def dump(_: object) -> None:
            raise type(name, (Exception,), {})

        value = type("Model", (), {"model_dump": dump})()
        self.assertEqual(_sent(input=value)["input"], f"[error: {name[:100]}]")

    def test_unreadable_ids_are_replaced(self) -> None:
        self.assertIsNone(decision_id_of(UUID()))
        plain = "0190F5FE-7C00-7000-8000-000000000000"
        self.assertEqual(decision_id_of(_SaysOther(plain)), plain.lower())
        self.assertIsNone(agent_id_of({"agent_id": _NeitherTrueNorFalse()}, {}))

    def test_the_agent_of_a_dropped_decision_is_valid(self) -> None:
        self.assertEqual(agent_id_of({"agent_id": "a\x00b"}, {"agent_id": "c"}), "ab")
        self.assertEqual(agent_id_of({}, {"agent_id": "c" * 300}), "c" * 255)


class DigitsTest(unittest.TestCase):
    def test_digits_and_back(self) -> None:
        for number in (0, -7, 2**5000, -(2**5000), 10**9000, 10**9000 - 1, 3**20_000):
            digits = digits_of(number)
            self.assertEqual(integer_of(digits), number)
        self.assertEqual(digits_of(-(10**9000)), "-1" + "0" * 9000)


class FindingTest(unittest.TestCase):
    def test_control_characters_from_a_server_are_stripped(self) -> None:
        self.assertEqual(ok("send", "\x1b[2J\x9b2J" + "x" * 5000).detail[:8], "\ufffd[2J\ufffd2Jx")
        self.assertEqual(len(failed("send", "x" * 5000, "").detail), 1000)


class SettingsTest(unittest.TestCase):
    def test_the_key_is_not_shown(self) -> None:
        self.assertNotIn("slk_live_secret", repr(resolve({"api_key": "slk_live_secret"}, {})))

    def test_a_url_must_not_contain_anything_that_ends_its_path(self) -> None:
        for end in ("?", "/?", "#", "/\\x", "\n/x"):
            self.assertIsNone(resolve({"base_url": f"https://sluice.example{end}"}, {}).base_url)

    def test_a_variable_may_end_with_a_line_break(self) -> None:
        self.assertEqual(resolve({}, {"SLUICE_API_KEY": "slk_live_x\n"}).api_key, "slk_live_x")


if __name__ == "__main__":
    unittest.main()
