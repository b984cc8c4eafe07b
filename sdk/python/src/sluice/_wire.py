"""Encodes a composed decision as the bytes that are sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sluice._decision import Notes
from sluice._encode import Captured, Encoder, encode_fast, encode_string
from sluice._plain import TooLarge
from sluice._version import SDK_VERSION
from sluice._walk import CHANGES_MAX

TextOf = Callable[[Any, str], str]
"""Returns the JSON text of a value. The arguments are the value and the field name."""

_TAIL = f',"sdk_version":"{SDK_VERSION}"'


class _NotPlain(Exception):
    """Raised if a value requires the slow path."""


def encode(
    decision_id: str, decision: dict[str, Any], notes: Notes, size_max: int
) -> tuple[bytes, bool]:
    """Returns the bytes to send, and whether any value was changed. Raises TooLarge."""
    data = None if notes else _encode_plain(decision_id, decision, size_max)
    is_changed = False
    if data is None:
        data, is_changed = _encode_any(decision_id, decision, notes, size_max)
    if len(data) > size_max:
        raise TooLarge
    return data, is_changed


def _encode_plain(decision_id: str, decision: dict[str, Any], size_max: int) -> bytes | None:
    def text_of(value: Any, _: str) -> str:
        if type(value) is Captured:
            text = None if value.changes else _captured(value)
        else:
            text = encode_fast(value, size_max)
        if text is None:
            raise _NotPlain
        return text

    try:
        return (_assemble(decision_id, decision, text_of) + "}").encode()
    except (_NotPlain, UnicodeEncodeError):
        return None


def _encode_any(
    decision_id: str, decision: dict[str, Any], notes: Notes, size_max: int
) -> tuple[bytes, bool]:
    encoder = Encoder(size_max)
    for kind, name in notes:
        encoder.note(kind, name)

    def text_of(value: Any, name: str) -> str:
        if type(value) is Captured:
            encoder.changes.extend(value.changes)
            return _captured(value)
        return encoder.text(value, name)

    metadata = decision.get("metadata")
    others = {name: value for name, value in decision.items() if name != "metadata"}
    text = _assemble(decision_id, others, text_of)
    if metadata is not None:
        metadata = encoder.copy(metadata, "metadata")
        if type(metadata) is not dict:
            encoder.note("wrong_type", "metadata")
            metadata = None
    if encoder.changes:
        metadata = _with_changes(metadata or {}, encoder.changes)
    if metadata is not None:
        text += f',"metadata":{encoder.write(metadata)}'
    return (text + "}").encode(), bool(encoder.changes)


def _with_changes(metadata: dict[str, Any], changes: list[str]) -> dict[str, Any]:
    """Appends the changes to the caller's list, or replaces a value that is not such a list."""
    earlier = metadata.get("sdk_changes")
    if not isinstance(earlier, list) or not all(type(item) is str for item in earlier):
        earlier = []
    return {**metadata, "sdk_changes": [*earlier, *changes][:CHANGES_MAX]}


def _assemble(decision_id: str, decision: dict[str, Any], text_of: TextOf) -> str:
    """Returns the JSON text without the closing brace."""
    parts = [f'{{"decision_id":"{decision_id}"']
    for name in ("agent_id", "session_id", "domain"):
        value = decision.get(name)
        if value is not None:
            parts.append(f',"{name}":{text_of(value, name)}')
    parts.append(f',"input":{text_of(decision["input"], "input")}')
    parts.append(f',"output":{_output(decision["output"], text_of)}')
    for name in ("input_tokens", "output_tokens"):
        value = decision.get(name)
        if value is not None:
            parts.append(f',"{name}":{value}')
    parts.append(_TAIL)
    metadata = decision.get("metadata")
    if metadata is not None:
        parts.append(f',"metadata":{text_of(metadata, "metadata")}')
    return "".join(parts)


def _output(value: Any, text_of: TextOf) -> str:
    """Returns a JSON string: the text itself, or the JSON text of any other value."""
    text = text_of(value, "output")
    is_text = isinstance(value, (str, Captured)) and text.startswith('"')
    return text if is_text else encode_string(text)


def _captured(value: Captured) -> str:
    if value.text is None:
        raise TooLarge
    return value.text
