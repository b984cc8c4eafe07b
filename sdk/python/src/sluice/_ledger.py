"""Ledger: counts decisions by result, for stats, flushes and drop reports."""

from __future__ import annotations

from typing import Any

from sluice._stats import FlushResult, Stats

DROP_REASONS = (
    "queue_full",
    "too_large",
    "invalid",
    "redact_error",
    "redacted",
    "refused",
    "unauthorized",
    "retries_exhausted",
    "shutdown",
)

_REPORTED_MAX = 1_000_000_000


class FlushWatch:
    """Counts the results of the decisions that were pending when a flush began."""

    def __init__(self, last_sequence: int, pending: int) -> None:
        self.last_sequence = last_sequence
        self.pending = pending
        self.has_reported = False
        self._sent = self._failed = self._dropped = 0

    def sent(self) -> None:
        self._sent += 1
        self.pending -= 1

    def lost(self, attempted: bool) -> None:
        self._failed += attempted
        self._dropped += not attempted
        self.pending -= 1

    def result(self) -> FlushResult:
        return FlushResult(self._sent, self._failed, self._dropped, self.pending)


class Ledger:
    """Not thread-safe: the sender holds the lock."""

    def __init__(self) -> None:
        self.logged = self.sent = self.sampled_out = 0
        self.retried = self.changed = self.requests = 0
        self.dropped = dict.fromkeys(DROP_REASONS, 0)
        self.last_error: str | None = None
        self.last_success_at: str | None = None
        self.flushes: list[FlushWatch] = []
        self.hurried_to = 0
        """Sequence of the last decision that must not wait to be batched."""
        self._unreported: dict[str, int] = {}
        self._agents: set[str | None] = set()

    @property
    def flush_to(self) -> int:
        """Sequence of the last decision to send without waiting; 0 if there is none."""
        waited = [watch.last_sequence for watch in self.flushes if watch.pending > 0]
        return max(waited, default=self.hurried_to)

    @property
    def has_unreported(self) -> bool:
        return bool(self._unreported)

    def count_sent(self, sequence: int) -> None:
        self.sent += 1
        for watch in self.flushes:
            if sequence <= watch.last_sequence:
                watch.sent()

    def count_drop(
        self,
        reason: str,
        agent_id: str | None,
        sequence: int | None = None,
        attempted: bool = False,
    ) -> None:
        """Counts a dropped decision; `sequence` is None if it was never queued."""
        self.dropped[reason] += 1
        if reason != "redacted":
            self._report(reason, 1)
            self._note_agent(agent_id)
        for watch in self.flushes:
            if sequence is not None and sequence <= watch.last_sequence:
                watch.lost(attempted)

    def stats(self, pending: int, pending_bytes: int) -> Stats:
        return Stats(
            logged=self.logged,
            sent=self.sent,
            dropped=dict(self.dropped),
            sampled_out=self.sampled_out,
            pending=pending,
            pending_bytes=pending_bytes,
            retried=self.retried,
            changed=self.changed,
            requests=self.requests,
            last_error=self.last_error,
            last_success_at=self.last_success_at,
        )

    def take_report(self) -> dict[str, Any] | None:
        """Takes the unreported drops. They count as reported unless `put_back` is called."""
        if not self._unreported:
            return None
        report: dict[str, Any] = {"dropped": self._unreported}
        (agent_id, *others) = self._agents
        if agent_id is not None and not others:
            report["agent_id"] = agent_id
        self._unreported, self._agents = {}, set()
        return report

    def put_back(self, report: dict[str, Any]) -> None:
        """Adds back the counts of a report that the gateway did not accept."""
        for reason, count in report["dropped"].items():
            self._report(reason, count)
        self._note_agent(report.get("agent_id"))

    def _report(self, reason: str, count: int) -> None:
        self._unreported[reason] = min(self._unreported.get(reason, 0) + count, _REPORTED_MAX)

    def _note_agent(self, agent_id: str | None) -> None:
        # If the drops belong to two or more agents, the report does not name an agent.
        if len(self._agents) < 2:
            self._agents.add(agent_id)
