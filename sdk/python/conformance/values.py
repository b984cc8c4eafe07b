"""Creates values that JSON cannot represent, as described by ``$value`` objects in the cases."""

from __future__ import annotations

import datetime
from typing import Any, Callable

Members = dict[str, Any]

ABSENT = object()


class Thing:
    hidden = "PRIVATE-PAYLOAD"

    def __repr__(self) -> str:
        return "PRIVATE-PAYLOAD"


class Gives:
    def __init__(self, value: Any) -> None:
        self._value = value

    def model_dump(self) -> Any:
        return self._value


def _error_of(name: str, message: str) -> BaseException:
    return type(name, (Exception,), {})(message)


class Throws:
    def __init__(self, name: str) -> None:
        self._name = name

    def model_dump(self) -> Any:
        raise _error_of(self._name, "PRIVATE-PAYLOAD")


def _cyclic(_: Members) -> Any:
    value: Members = {"name": "me"}
    value["self"] = value
    return value


def _cyclic_list(_: Members) -> Any:
    value: list[Any] = [1]
    value.append(value)
    return value


def _deep(given: Members) -> Any:
    value: Any = 1
    for _ in range(given["levels"]):
        value = [value] if given.get("kind") == "list" else {"a": value}
    return value


def _twice(given: Members) -> Any:
    shared = value_of(given["value"])
    return [shared, shared]


def _answer() -> None:
    """Stands in for a function that is logged by mistake."""


def _date_time(given: Members) -> Any:
    return datetime.datetime.fromisoformat(given["iso"].replace("Z", "+00:00"))


MAKERS: dict[str, Callable[[Members], Any]] = {
    "absent": lambda _: ABSENT,
    "big_integer": lambda given: int(given["digits"]),
    "power": lambda given: given["base"] ** given["exponent"],
    "nan": lambda _: float("nan"),
    "infinity": lambda _: float("inf"),
    "minus_infinity": lambda _: float("-inf"),
    "date_time": _date_time,
    "bytes": lambda given: bytes.fromhex(given["hex"]),
    "byte_buffer": lambda given: bytearray.fromhex(given["hex"]),
    "text": lambda given: given.get("of", "x") * given["characters"],
    "deep": _deep,
    "cyclic": _cyclic,
    "cyclic_list": _cyclic_list,
    "twice": _twice,
    "map": lambda given: {key: value_of(value) for key, value in given["entries"]},
    "set": lambda given: {value_of(value) for value in given["values"]},
    "error": lambda given: _error_of(given["name"], given["message"]),
    "gives": lambda given: Gives(value_of(given["value"])),
    "throws": lambda given: {"member": Throws(given["name"])},
    "throws_whole": lambda given: Throws(given["name"]),
    "function": lambda _: _answer,
    "class": lambda _: Thing,
}


def value_of(given: Any) -> Any:
    """Replaces each ``$value`` object in ``given``, at any depth, with the value it describes."""
    if isinstance(given, list):
        return [None if made is ABSENT else made for made in map(value_of, given)]
    if not isinstance(given, dict):
        return given
    name = given.get("$value")
    if isinstance(name, str):
        return MAKERS[name](given)
    made = {key: value_of(value) for key, value in given.items()}
    return {key: value for key, value in made.items() if value is not ABSENT}


def destroy(value: Any) -> None:
    """Overwrites a value in place at every depth, as an application might after logging it."""
    if isinstance(value, list):
        for each in value:
            destroy(each)
        value.append("changed afterwards")
    elif isinstance(value, dict):
        for name in list(value):
            destroy(value[name])
            value[name] = "changed afterwards"
    elif isinstance(value, bytearray):
        value[:] = bytes(len(value))
