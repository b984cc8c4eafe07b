"""Slow path: copies any value to plain data and notes each value that had to be changed."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

from sluice._objects import Expanded, Marked, Text, describe, type_name
from sluice._plain import DEPTH_MAX, TooLarge

CHANGES_MAX = 10

# Import the codec now: a fork during an import leaves the child with an import lock that is never
# released.
codecs.lookup("utf-16-le")

_POINTER_CHARACTERS_MAX = 200
_UNWRAPS_MAX = 8


class Walk:
    """Makes private copies of values. A copy contains only plain data."""

    def __init__(self, size_max: int, place_number: Callable[[int], Any] | None = None) -> None:
        self.changes: list[str] = []
        self._room = size_max
        self._path: list[str] = []
        self._inside: set[int] = set()
        self._place_number = place_number

    def copy(self, value: Any, name: str) -> Any:
        """Copies the value of the field `name`. Raises TooLarge."""
        self._path = [name]
        self._inside = set()
        return self._copy(value, 1)

    def note(self, kind: str, name: str | None = None) -> None:
        """Notes a change at the current path, or to the field `name` as a whole."""
        if len(self.changes) < CHANGES_MAX:
            path = self._path if name is None else [name]
            pointer = "".join(f"/{_escape(step)}" for step in path)
            self.changes.append(f"{pointer[:_POINTER_CHARACTERS_MAX]}: {kind}")

    def _copy(self, value: Any, depth: int, unwraps: int = 0) -> Any:
        self._take(1)
        kind = type(value)
        if kind is str:
            return self.text(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return self._integer(value)
        if kind is float:
            return self._float(value)
        try:
            return self._object(value, depth, unwraps)
        except TooLarge:
            raise
        except Exception as error:
            # Send the rest of the decision even if one value raises.
            self.note("unreadable")
            return self.text(f"[error: {type_name(error)}]")

    def _object(self, value: Any, depth: int, unwraps: int) -> Any:
        if id(value) in self._inside:
            self.note("circular")
            return "[circular]"
        if unwraps > _UNWRAPS_MAX:
            self.note("not_data")
            return f"[{type_name(value)}]"
        seen = describe(value, self._room)
        if isinstance(seen, Text):
            return self.text(seen.text)
        if isinstance(seen, Marked):
            self.note("not_data")
            return self.text(seen.text)
        self._inside.add(id(value))
        try:
            if isinstance(seen, Expanded):
                return self._container(seen.members, depth)
            return self._copy(seen.value, depth, unwraps + 1)
        finally:
            self._inside.discard(id(value))

    def _container(self, members: list[Any] | dict[Any, Any], depth: int) -> Any:
        if depth > DEPTH_MAX:
            self.note("too_deep")
            return "[too deep]"
        # Counts one character for the brackets, and one per member for a comma or colon.
        self._take(1 + len(members))
        if isinstance(members, dict):
            return self._members(members, depth)
        return [self._step(str(index), item, depth) for index, item in enumerate(members)]

    def _members(self, members: dict[Any, Any], depth: int) -> dict[str, Any]:
        copy: dict[str, Any] = {}
        for key, member in list(members.items()):
            name = self._key(key)
            is_duplicate = name in copy
            copy[name] = self._step(name, member, depth)
            if is_duplicate:
                # Two keys have the same text. The later one wins.
                self._path.append(name)
                self.note("not_data")
                self._path.pop()
        return copy

    def _step(self, name: str, value: Any, depth: int) -> Any:
        self._path.append(name)
        try:
            return self._copy(value, depth + 1)
        finally:
            self._path.pop()

    def _key(self, key: Any) -> str:
        if isinstance(key, str):
            return self.text(key)
        if isinstance(key, (tuple, frozenset)):
            self.note("not_data")
            return f"[{type_name(key)}]"
        copy = self._copy(key, DEPTH_MAX + 1)
        if isinstance(copy, str):
            return copy
        return "null" if copy is None else str(copy).lower()

    def text(self, value: str) -> str:
        """Replaces each unpaired surrogate with U+FFFD, because UTF-8 cannot encode it."""
        self._take(len(value))
        text = str.__str__(value)
        if text.isascii():
            return text
        try:
            text.encode()
            return text
        except UnicodeEncodeError:
            repaired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if repaired.count("\ufffd") > text.count("\ufffd"):
            self.note("surrogate")
        return repaired

    def _integer(self, value: int) -> Any:
        digits = value.bit_length() // 4
        self._take(digits)
        if digits < _PLAIN_DIGITS or self._place_number is None:
            return value
        return self._place_number(value)

    def _float(self, value: float) -> Any:
        if value - value == 0:
            return value
        self.note("not_finite")
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise TooLarge


_PLAIN_DIGITS = 512
"""In units of 4 bits: at most 617 digits. The lowest limit that a host can set is 640."""


def _escape(step: str) -> str:
    repaired = step.encode("utf-8", "replace").decode()
    return repaired.replace("~", "~0").replace("/", "~1")
