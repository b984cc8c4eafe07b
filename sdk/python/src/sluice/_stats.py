"""What becomes of decisions, counted: each ends as sent, dropped or sampled out, exactly once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stats:
    """`logged == sent + sum(dropped.values()) + sampled_out + pending`, always."""

    logged: int
    sent: int
    dropped: dict[str, int]
    sampled_out: int
    pending: int
    pending_bytes: int
    retried: int
    changed: int
    requests: int
    last_error: str | None
    last_success_at: str | None
    """ISO 8601, in UTC."""


@dataclass(frozen=True)
class FlushResult:
    """What became, during a flush, of the decisions that were pending when it began."""

    sent: int
    failed: int
    """Given up after they were offered to the gateway."""
    dropped: int
    """Given up without being offered."""
    pending: int
