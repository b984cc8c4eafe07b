"""Whether a value is plain JSON data already, as nearly every value is: then C code encodes it."""

from __future__ import annotations

from typing import Any

DEPTH_MAX = 56
"""Levels of nesting within one field; the gateway takes 64 of a whole decision."""

_SCALARS = frozenset((int, float, bool, type(None)))
_PLAIN_MAX = 1 << 128
"""Many integers that are longer could be far more text than there are members."""


class TooLarge(Exception):
    """The value has more bytes than a decision may have."""


def is_plain(value: Any, size_max: int) -> bool:
    """Whether JSON's own encoder gives what ours would, lone surrogates and NaN aside.

    Goes level by level, so a cycle ends at the depth limit, and what it multiplies at `size_max`.
    Raises TooLarge when the values alone have more characters than that.
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
    """Characters of it at least, what is nested put into `below`; -1 when it is not plain."""
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
