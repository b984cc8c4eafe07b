"""Encodes values as JSON text, so that later changes to the values have no effect."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from sluice._digits import digits_of, integer_of
from sluice._plain import TooLarge, is_plain
from sluice._walk import CHANGES_MAX, Walk

encode_string: Callable[[str], str] = json.encoder.encode_basestring


def _refuse(value: object) -> object:
    raise TypeError


def _plain_encoder() -> Callable[[Any], str]:
    """Returns the C encoder without its slow wrapper, or the wrapper if that is impossible."""
    slow = json.JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
    ).encode
    try:
        make = json.encoder.c_make_encoder  # type: ignore[attr-defined]
        chunks = make(None, _refuse, encode_string, None, ":", ",", False, False, False)
        probe = {"a": [1, 2.5, None, True, "é"]}
        if "".join(chunks(probe, 0)) != slow(probe):
            return slow
    except Exception:
        return slow
    return lambda value: "".join(chunks(value, 0))


_encode_plain = _plain_encoder()


def encode_fast(value: Any, size_max: int) -> str | None:
    """Returns the JSON text of plain data; None for other values. Raises TooLarge."""
    if type(value) is str:
        if len(value) > size_max:
            raise TooLarge
        return encode_string(value)
    try:
        return _encode_plain(value) if is_plain(value, size_max) else None
    except TooLarge:
        raise
    except Exception:
        # The slow path handles NaN, changes by another thread, and values that raise.
        return None


class Encoder:
    """Encodes the fields of one decision and collects the changes made to them."""

    def __init__(self, size_max: int) -> None:
        self._numbers: dict[str, str] = {}
        self._walk = Walk(size_max, self._place_number)

    @property
    def changes(self) -> list[str]:
        return self._walk.changes

    def note(self, kind: str, name: str) -> None:
        """Notes a change to the field `name` as a whole."""
        self._walk.note(kind, name)

    def text(self, value: Any, name: str) -> str:
        """Returns the JSON text of a field. Raises TooLarge."""
        return self.write(self.copy(value, name))

    def copy(self, value: Any, name: str) -> Any:
        """Returns a private copy of a field for `write`. Raises TooLarge."""
        return self._walk.copy(value, name)

    def write(self, copy: Any) -> str:
        """Returns the JSON text of a copy made by `copy`."""
        text = _encode_plain(copy)
        for placeholder, digits in self._numbers.items():
            text = text.replace(placeholder, digits)
        return text

    def _place_number(self, value: int) -> str:
        """Returns a placeholder for a long integer, which Python's encoder may refuse to write."""
        name = f"number-{os.urandom(16).hex()}"
        self._numbers[f'"{name}"'] = digits_of(value)
        return name


class Captured:
    """The JSON text of a value that is logged later."""

    __slots__ = ("changes", "text")

    def __init__(self, text: str | None, changes: tuple[str, ...] = ()) -> None:
        self.text = text
        """None if the value was too large."""
        self.changes = changes


def capture(value: Any, pointer: str = "/input", size_max: int = 4 << 20) -> Captured:
    """Takes a snapshot of a value that may change before it is logged. Never raises."""
    try:
        text = encode_fast(value, size_max)
        if text is not None and is_utf8(text):
            return Captured(text)
        encoder = Encoder(size_max)
        return Captured(encoder.text(value, pointer.lstrip("/")), tuple(encoder.changes))
    except TooLarge:
        return Captured(None)
    except Exception:
        return Captured('"[unreadable]"', (f"{pointer}: unreadable",))


def is_utf8(text: str) -> bool:
    """Returns False for text with unpaired surrogates, which UTF-8 cannot encode."""
    try:
        text.encode()
        return True
    except UnicodeEncodeError:
        return False


def copy_plain(
    decision: Mapping[str, Any], notes: list[tuple[str, str]], size_max: int
) -> dict[str, Any]:
    """Returns a copy of the decision as plain data, with all changes listed in its metadata.

    Raises TooLarge.
    """
    walk = Walk(size_max)
    for kind, name in notes:
        walk.note(kind, name)
    copy: dict[str, Any] = {}
    for name, value in decision.items():
        if type(value) is Captured:
            copy[name] = _uncaptured(value)
            walk.changes.extend(value.changes)
        else:
            copy[name] = walk.copy(value, name)
    if type(copy.get("metadata", {})) is not dict:
        walk.note("wrong_type", "metadata")
        del copy["metadata"]
    if walk.changes:
        copy.setdefault("metadata", {})["sdk_changes"] = walk.changes[:CHANGES_MAX]
    return copy


def _uncaptured(value: Captured) -> Any:
    if value.text is None:
        raise TooLarge
    # Not `int`, because the host may limit the number of digits that `int` accepts.
    return json.loads(value.text, parse_int=integer_of)
