"""Context: fields shared by all decisions logged within a `with` block.

The context is a context variable: an asyncio task inherits the context, but changes made in the
task do not affect other tasks. A new thread starts without a context unless it is run with
`contextvars.copy_context().run`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

Fields = dict[str, Any]

_current: ContextVar[Fields | None] = ContextVar("sluice_context", default=None)


def current_fields() -> Fields:
    """Returns the merged fields of all enclosing blocks. The caller must not modify the result."""
    return _current.get() or {}


def merge_fields(outer: Fields, inner: Fields) -> Fields:
    """Merges two contexts. A field of `inner` wins unless it is None; metadata is merged."""
    merged = {**outer, **{name: value for name, value in inner.items() if value is not None}}
    merged.pop("metadata", None)
    metadata = merge_metadata(outer.get("metadata"), inner.get("metadata"))
    if metadata:
        merged["metadata"] = metadata
    return merged


def merge_metadata(outer: object, inner: object) -> dict[Any, Any]:
    """Merges two metadata mappings; `inner` wins. Any other value counts as empty."""
    merged: dict[Any, Any] = dict(outer) if isinstance(outer, Mapping) else {}
    if isinstance(inner, Mapping):
        merged.update(inner)
    return merged


class context:  # noqa: N801 - used like a statement: `with context(...)`
    """Sets fields for all decisions logged within a `with` block."""

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
            # A generator can be closed in another context, in which nothing was set.
            pass
