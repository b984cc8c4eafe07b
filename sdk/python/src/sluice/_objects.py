"""Describes how a Python object is written as JSON."""

from __future__ import annotations

import base64
import dataclasses
import types
from collections import deque
from collections.abc import KeysView, Mapping, Set, ValuesView
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple, Union
from uuid import UUID

from sluice._plain import TooLarge


class Text(NamedTuple):
    """The object is written as this text."""

    text: str


class Marked(NamedTuple):
    """The object is not data. The text says what it was."""

    text: str


class Expanded(NamedTuple):
    """The object is written as its members, which have names or form a list."""

    members: dict[Any, Any] | list[Any]


class Unwrapped(NamedTuple):
    """The object is written as another value."""

    value: Any


Description = Union[Text, Marked, Expanded, Unwrapped]

_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    type,
)


def describe(value: Any, size_max: int) -> Description:
    """Describes `value`. Raises TooLarge and any exception that the value itself raises."""
    if isinstance(value, _FUNCTIONS):
        return Marked(f"[function {getattr(value, '__name__', 'anonymous')}]")
    if isinstance(value, Enum):
        return Unwrapped(value.value)
    if isinstance(value, _CONTAINERS):
        if len(value) > size_max:
            raise TooLarge
        return Expanded(_members(value, size_max))
    for kind, represent in _REPRESENTATIONS:
        if isinstance(value, kind):
            description: Description = represent(value)
            return description
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _binary(value, size_max)
    return _by_protocol(value, size_max)


_CONTAINERS = (Mapping, list, tuple, Set, deque, range, KeysView, ValuesView)


def _members(value: Any, size_max: int) -> dict[Any, Any] | list[Any]:
    if type(value) is dict:
        return value
    is_mapping = isinstance(value, Mapping)
    # A custom iterator may never end, regardless of its `len`.
    members = list(islice(value.items() if is_mapping else value, size_max + 1))
    if len(members) > size_max:
        raise TooLarge
    return dict(members) if is_mapping else members


_REPRESENTATIONS: tuple[tuple[Any, Any], ...] = (
    (str, lambda value: Text(str.__str__(value))),
    (int, lambda value: Unwrapped(int.__index__(value))),
    (float, lambda value: Unwrapped(float.__float__(value))),
    ((datetime, date, time), lambda value: Text(value.isoformat())),
    ((UUID, Decimal, PurePath, timedelta, complex), lambda value: Text(str(value))),
    (BaseException, lambda value: Expanded({"name": type_name(value), "message": str(value)})),
)


def _by_protocol(value: Any, size_max: int) -> Description:
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(value)]
        return Expanded({name: getattr(value, name) for name in names if hasattr(value, name)})
    # Looks at the type, because a mock object has every attribute.
    if callable(getattr(kind, "model_dump", None)):
        return Unwrapped(value.model_dump())
    if hasattr(kind, "__fields__") and callable(getattr(kind, "dict", None)):
        return Unwrapped(value.dict())
    if callable(getattr(kind, "tolist", None)):
        if getattr(value, "size", 0) > size_max:
            raise TooLarge
        return Unwrapped(value.tolist())
    return Marked(f"[{type_name(value)}]")


def _binary(value: bytes | bytearray | memoryview, size_max: int) -> Text:
    size = value.nbytes if isinstance(value, memoryview) else len(value)
    if size > size_max:
        raise TooLarge
    return Text(f"data:application/octet-stream;base64,{base64.b64encode(bytes(value)).decode()}")


def type_name(value: object) -> str:
    """Returns the type's name. The repr is not used: it may be slow or contain a secret."""
    return type(value).__name__[:_NAME_CHARACTERS_MAX]


_NAME_CHARACTERS_MAX = 100
