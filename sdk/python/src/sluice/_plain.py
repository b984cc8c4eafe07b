"""Detects plain JSON data, so that C code can encode it. Nearly all values are plain."""

from __future__ import annotations

from typing import Any

DEPTH_MAX = 56
"""Maximum nesting depth of a field. The gateway accepts 64 levels for a whole decision."""

_SCALARS = frozenset((int, float, bool, type(None)))
_PLAIN_MAX = 1 << 128
"""Larger integers are not plain, because the size estimate ignores their digits."""


class TooLarge(Exception):
    """Raised if a value exceeds the maximum size of a decision."""


def is_plain(value: Any, size_max: int) -> bool:
    """Checks whether Python's JSON encoder can encode the value, except for surrogates and NaN.

    Works level by level: a cycle ends at the depth limit, and exponential growth at `size_max`.
    Raises TooLarge if the values alone have more than `size_max` characters.
    """
    if type(value) in _SCALARS:
        return True
    level: list[Any] = [value]
    size = 0
    for _ in range(DEPTH_MAX):
        below: list[Any] = []
        for container in level:
            added = _look(container, below)
            if added < 0:
                return False
            size += added
            if size > size_max:
                raise TooLarge
        if not below:
            return True
        level = below
    return False


def _look(container: Any, below: list[Any]) -> int:
    """Returns the minimum number of characters, or -1 if the data is not plain.

    Adds nested values to `below`.
    """
    kind = type(container)
    if kind is dict:
        size = len(container)
        for key in container:
            if type(key) is not str:
                return -1
            size += len(key)
        members = container.values()
    elif kind is list or kind is tuple:
        size = len(container)
        members = container
    else:
        return -1
    for member in members:
        kind = type(member)
        if kind is str:
            size += len(member)
        elif kind is dict or kind is list or kind is tuple:
            below.append(member)
        elif kind not in _SCALARS or (kind is int and not -_PLAIN_MAX < member < _PLAIN_MAX):
            return -1
    return size
