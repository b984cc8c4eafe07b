"""The context: what all decisions logged within a `with` block have in common.

It is a context variable, so tasks of asyncio inherit it and never see that of a sibling; a new
thread begins without one, unless it is started with `contextvars.copy_context().run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

Fields = dict[str, Any]

_current: ContextVar[Fields | None] = ContextVar("sluice_context", default=None)


def current_fields() -> Fields:
    """Fields of all blocks around the caller, the inner ones over the outer ones; not a copy."""
    return _current.get() or {}


def merge_fields(outer: Fields, inner: Fields) -> Fields:
    """The fields of both, those of `inner` first; metadata is merged member by member."""
    merged = {**outer, **{name: value for name, value in inner.items() if value is not None}}
    merged.pop("metadata", None)
    metadata = merge_metadata(outer.get("metadata"), inner.get("metadata"))
    if metadata:
        merged["metadata"] = metadata
    return merged


def merge_metadata(outer: object, inner: object) -> dict[Any, Any]:
    """Members of both, those of `inner` first; what is no mapping has none."""
    merged: dict[Any, Any] = dict(outer) if isinstance(outer, Mapping) else {}
    if isinstance(inner, Mapping):
        merged.update(inner)
    return merged


class context:  # noqa: N801 - it is read as a statement: `with context(...)`
    """Sets fields for all decisions that are logged within the block."""

    def __init__(
        self,
        *,
        agent_id: str | None = None,
        session_id: str | None = None,
        domain: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._fields: Fields = {
            "agent_id": agent_id,
            "session_id": session_id,
            "domain": domain,
            "metadata": metadata,
        }
        self._tokens: list[Token[Fields | None]] = []

    def __enter__(self) -> None:
        self._tokens.append(_current.set(merge_fields(current_fields(), self._fields)))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            _current.reset(self._tokens.pop())
        except ValueError:
            # A generator may be closed from another context: there is nothing to undo there.
            pass
