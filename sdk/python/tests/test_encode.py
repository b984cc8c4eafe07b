"""Tests the JSON of each kind of value, and the notes about changes."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import sys
import unittest
import uuid
from collections import OrderedDict, deque
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from sluice._digits import integer_of
from sluice._encode import Encoder, capture, encode_fast
from sluice._plain import TooLarge

LIMIT = 1 << 20


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    within: Any = None


class Model:
    def __init__(self, dumped: Any) -> None:
        self._dumped = dumped

    def model_dump(self) -> Any:
        if isinstance(self._dumped, Exception):
            raise self._dumped
        return self._dumped


class Shouting(str):
    def __str__(self) -> str:
        raise AssertionError("never called")


def slow(value: Any) -> tuple[str, list[str]]:
    encoder = Encoder(LIMIT)
    return encoder.text(value, "input"), encoder.changes


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


class EncodeTest(unittest.TestCase):
    def test_the_fast_path_for_plain_data_agrees_with_the_slow_one(self) -> None:
        plain: list[Any] = [
            None,
            True,
            -1,
            10**30,
            1.5,
            1e21,
            "",
            'ü\u2028\x00\x1f"\\/\ud83d\ude00'.encode("utf-16", "surrogatepass").decode("utf-16"),
            [],
            {},
            {"": [], "a": {"b": (1, 2)}, "__proto__": 1},
            nested(56),
        ]
        for value in plain:
            text = encode_fast(value, LIMIT)
            self.assertEqual((text, []), slow(value))
            self.assertEqual(json.loads(text or ""), json.loads(json.dumps(value)))

    def test_converted_values_are_not_noted(self) -> None:
        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        cases: list[tuple[Any, Any]] = [
            (moment, "2026-01-02T03:04:05+00:00"),
            (moment.date(), "2026-01-02"),
            (moment.time(), "03:04:05"),
            (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
            (Decimal("1.10"), "1.10"),
            (pathlib.PurePosixPath("/a"), "/a"),
            (Colour.RED, "red"),
            (Shouting("a"), "a"),
            (ValueError("m"), {"name": "ValueError", "message": "m"}),
            (Point(1, Point(2)), {"x": 1, "within": {"x": 2, "within": None}}),
            (Model({"a": moment.date()}), {"a": "2026-01-02"}),
            ({1}, [1]),
            (deque([1, (2,)]), [1, [2]]),
            ({"a": 1}.keys(), ["a"]),
            (OrderedDict(a=1), {"a": 1}),
            (MappingProxyType({"a": 1}), {"a": 1}),
            ({2: "i", None: "n", 1.5: "f", moment.date(): "d"}, None),
            (b"ab", "data:application/octet-stream;base64,YWI="),
            (bytearray(b"ab"), "data:application/octet-stream;base64,YWI="),
            (memoryview(b"abcd")[::2], "data:application/octet-stream;base64,YWM="),
        ]
        for value, expected in cases:
            text, changes = slow(value)
            self.assertEqual(changes, [], value)
            if expected is not None:
                self.assertEqual(json.loads(text), expected)
        self.assertEqual(
            json.loads(slow(cases[-4][0])[0]),
            {"2": "i", "null": "n", "1.5": "f", "2026-01-02": "d"},
        )

    def test_replaced_values_are_noted(self) -> None:
        circle: dict[str, Any] = {"a": []}
        circle["a"].append(circle)
        cases: list[tuple[Any, Any, str]] = [
            ([float("nan")], ["NaN"], "/input/0: not_finite"),
            ([float("-inf")], ["-Infinity"], "/input/0: not_finite"),
            (circle, {"a": ["[circular]"]}, "/input/a/0: circular"),
            (len, "[function len]", "/input: not_data"),
            (Point, "[function Point]", "/input: not_data"),
            (object(), "[object]", "/input: not_data"),
            ((n for n in [1]), "[generator]", "/input: not_data"),
            ({"m": Model(KeyError("secret"))}, {"m": "[error: KeyError]"}, "/input/m: unreadable"),
            ({"a/b": ["x\ud800y"]}, {"a/b": ["x\ufffdy"]}, "/input/a~1b/0: surrogate"),
            ({"x\udc00": 1}, {"x\ufffd": 1}, "/input: surrogate"),
            ({(1, 2): 1}, {"[tuple]": 1}, "/input: not_data"),
            ({1: "a", "1": "b"}, {"1": "b"}, "/input/1: not_data"),
        ]
        for value, expected, change in cases:
            self.assertIsNone(_fast(value), value)
            text, changes = slow(value)
            self.assertEqual(json.loads(text), expected)
            self.assertEqual(changes, [change])

    def test_a_repeated_value_is_not_a_cycle(self) -> None:
        shared = [1]
        self.assertEqual(slow([shared, shared, object])[0], '[[1],[1],"[function object]"]')

    def test_nesting_is_cut_at_the_limit(self) -> None:
        for levels in (57, 100_000):
            value = nested(levels)
            self.assertIsNone(encode_fast(value, LIMIT))
            text, changes = slow(value)
            self.assertEqual(text, "[" * 56 + '"[too deep]"' + "]" * 56)
            self.assertEqual(changes, [f"{'/input' + '/0' * 56}: too_deep"])
            while isinstance(value, list):
                value = value.pop()

    def test_integers_of_any_size(self) -> None:
        for number in (10**5000, -(10**5000)):
            self.assertIsNone(encode_fast([number], LIMIT))
            self.assertEqual(slow([number, "a"])[0], f'[{decimal.Decimal(number)},"a"]')

    @unittest.skipUnless(hasattr(sys, "set_int_max_str_digits"), "needs the digit limit of Python")
    def test_integers_are_converted_whatever_the_digit_limit_of_the_host(self) -> None:
        self.addCleanup(sys.set_int_max_str_digits, sys.get_int_max_str_digits())
        sys.set_int_max_str_digits(sys.int_info.str_digits_check_threshold)
        for length in range(600, 1100):
            digits = "9" * length
            self.assertEqual(slow([integer_of(digits)])[0], f"[{digits}]")

    def test_the_walk_stops_at_the_size_limit(self) -> None:
        laughs: Any = ["ha"]
        for _ in range(50):
            laughs = [laughs, laughs]
        for value in ("x" * (LIMIT + 1), laughs, b"x" * LIMIT, range(10**9), [1 << (8 * LIMIT)]):
            with self.assertRaises(TooLarge):
                if encode_fast(value, LIMIT) is None:
                    slow(value)

    def test_a_captured_value_does_not_change(self) -> None:
        value: dict[str, Any] = {"a": [1]}
        captured, changed = capture(value), capture({"a": float("inf")})
        value["a"].append(2)
        self.assertEqual((captured.text, captured.changes), ('{"a":[1]}', ()))
        self.assertEqual(changed.changes, ("/input/a: not_finite",))
        self.assertIsNone(capture("x" * 100, size_max=10).text)


def _fast(value: Any) -> str | None:
    text = encode_fast(value, LIMIT)
    try:
        return None if text is None or text.encode() is None else text
    except UnicodeEncodeError:
        return None
