"""Stats: counts of decisions. Each decision ends once, as sent, dropped or sampled out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stats:
    """Invariant: `logged == sent + sum(dropped.values()) + sampled_out + pending`."""

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
    """ISO 8601 in UTC; None before the first success."""


@dataclass(frozen=True)
class FlushResult:
    """Counts of the decisions that were pending when a flush began, by result."""

    sent: int
    failed: int
    """Dropped after the gateway rejected them or all retries failed."""
    dropped: int
    """Dropped because the queue was full or the client was closed."""
    pending: int
