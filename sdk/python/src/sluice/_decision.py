"""Decisions as callers give them."""

from __future__ import annotations

from typing import Any, Mapping, Optional, TypedDict


class _Required(TypedDict):
    input: Any
    output: Any


class DecisionFields(_Required, total=False):
    """What `log` takes, by name."""

    decision_id: Optional[str]
    agent_id: Optional[str]
    session_id: Optional[str]
    domain: Optional[str]
    metadata: Optional[Mapping[str, Any]]
    input_tokens: Optional[int]
    output_tokens: Optional[int]
