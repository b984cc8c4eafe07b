"""Composes a decision from the logged fields, the context and the options."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, TypedDict

from sluice._context import merge_metadata


class _Required(TypedDict):
    input: Any
    output: Any


class DecisionFields(_Required, total=False):
    """The keyword arguments of `log`."""

    decision_id: str | None
    agent_id: str | None
    session_id: str | None
    domain: str | None
    metadata: Mapping[str, Any] | None
    input_tokens: int | None
    output_tokens: int | None


Notes = list[tuple[str, str]]
"""Changes to whole fields, each as the kind of change and the field name."""

FIELDS = frozenset(
    (
        "decision_id",
        "agent_id",
        "session_id",
        "domain",
        "input",
        "output",
        "metadata",
        "input_tokens",
        "output_tokens",
    )
)
_CHARACTERS_MAX = {"agent_id": 255, "session_id": 1000, "domain": 100}
_TOKENS = ("input_tokens", "output_tokens")
_TOKENS_MAX = 2**53 - 1
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Invalid(Exception):
    """Raised if a required field is missing."""


def decision_id_of(given: object) -> str | None:
    """Returns the caller's own id in lower case; None if it is not a UUID."""
    try:
        # Calls str.__str__ because a subclass of str may override __str__.
        text = str.__str__(given if isinstance(given, str) else _text_of_uuid(given))
    except Exception:
        return None
    return text.lower() if _UUID.fullmatch(text) else None


def agent_id_of(fields: Mapping[str, Any], outer: Mapping[str, Any]) -> str | None:
    """Returns the agent of a dropped decision as it would have been sent. Never raises."""
    field: dict[str, Any] = {}
    try:
        value = fields.get("agent_id")
        value = outer.get("agent_id") if value is None else value
        if value is not None:
            _put_text(field, "agent_id", value, _CHARACTERS_MAX["agent_id"], [])
    except Exception:
        return None
    return field.get("agent_id") or None


def _text_of_uuid(given: object) -> str:
    return str(given) if _is_uuid_object(given) else ""


def _is_uuid_object(given: object) -> bool:
    return type(given).__name__ == "UUID"


def compose(fields: Mapping[str, Any], outer: Mapping[str, Any]) -> tuple[dict[str, Any], Notes]:
    """Returns the fields that are set, converted to their types. Raises Invalid.

    `outer` holds the merged fields of the options and the context.
    """
    if "input" not in fields or fields.get("output") is None:
        raise Invalid("a decision requires input and output: it was dropped")
    notes: Notes = []
    decision: dict[str, Any] = {}
    for name, characters_max in _CHARACTERS_MAX.items():
        value = fields.get(name)
        if _is_nothing(value):
            value = outer.get(name)
        if not _is_nothing(value):
            _put_text(decision, name, value, characters_max, notes)
    decision["input"] = fields["input"]
    decision["output"] = fields["output"]
    for name in _TOKENS:
        if fields.get(name) is not None:
            _put_tokens(decision, name, fields[name], notes)
    _put_metadata(decision, fields.get("metadata"), outer.get("metadata"), notes)
    return decision, notes


def _is_nothing(value: object) -> bool:
    """Checks the type first, because comparing an object with '' may run the caller's code."""
    return value is None or (type(value) is str and not value)


def _put_text(
    decision: dict[str, Any], name: str, value: Any, characters_max: int, notes: Notes
) -> None:
    if type(value) is not str:
        value = _text_of(value)
    if value is None:
        notes.append(("wrong_type", name))
        return
    if len(value) > characters_max or "\x00" in value:
        value = value.replace("\x00", "")[:characters_max]
        notes.append(("cut", name))
    if value:
        decision[name] = value


def _text_of(value: Any) -> str | None:
    try:
        value = getattr(value, "value", value) if not isinstance(value, (str, int)) else value
        if isinstance(value, str):
            return str.__str__(value)
        if _is_uuid_object(value) or _is_number(value):
            return str(value)
    except Exception:
        return None
    return None


def _is_number(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value - value == 0)


def _put_tokens(decision: dict[str, Any], name: str, value: Any, notes: Notes) -> None:
    is_whole = _is_number(value) and 0 <= value <= _TOKENS_MAX and value == int(value)
    if is_whole:
        decision[name] = int(value)
    else:
        notes.append(("wrong_type", name))


def _put_metadata(decision: dict[str, Any], own: Any, outer: Any, notes: Notes) -> None:
    if own is not None and not isinstance(own, Mapping):
        own = _mapping_of(own)
        if own is None:
            notes.append(("wrong_type", "metadata"))
    if own is None and not outer:
        return
    if outer:
        own = merge_metadata(outer, own)
    decision["metadata"] = own


def _mapping_of(value: Any) -> Mapping[Any, Any] | None:
    try:
        kind = type(value)
        if dataclasses.is_dataclass(kind):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        dump = value.model_dump() if callable(getattr(kind, "model_dump", None)) else None
        return dump if isinstance(dump, Mapping) else None
    except Exception:
        return None
