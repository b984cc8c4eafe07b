"""Settles a batch: each decision is sent, dropped or retried, depending on the response."""

from __future__ import annotations

import datetime

from sluice._batch_result import BatchResult, ItemResult
from sluice._gate import Gate
from sluice._hint import hint_of
from sluice._ledger import Ledger
from sluice._notices import Notices
from sluice._options import Settings
from sluice._queue import Batch, Entry, Queue


class Settler:
    """Not thread-safe: the sender holds the lock."""

    def __init__(self, settings: Settings, notices: Notices) -> None:
        self._settings = settings
        self._notices = notices
        self.queue = Queue(settings)
        self.ledger = Ledger()
        self.gate = Gate(settings)

    def settle(self, batch: Batch, result: BatchResult, now: float) -> None:
        """Applies the result of a batch. Decisions dropped in the meantime stay dropped."""
        self.pass_gate(result, now)
        self._exclude_suspension(batch, now)
        items = [
            (entry, item)
            for entry, item in zip(batch.entries, result.items)
            if not entry.is_settled
        ]
        if result.items[0] is ItemResult.TOO_LARGE:
            self._split(batch)
            return
        retryable: list[Entry] = []
        not_before = self._retry_at(batch, result, now)
        for entry, item in items:
            if item is ItemResult.SENT:
                self._sent(entry)
            elif item is ItemResult.REFUSED:
                self.drop(entry, "refused", attempted=True)
            elif not self._is_spent(entry, not_before):
                retryable.append(entry)
            else:
                reason = "unauthorized" if item is ItemResult.UNAUTHORIZED else "retries_exhausted"
                self.drop(entry, reason, attempted=True)
        if retryable:
            whole = len(retryable) == len(batch.entries)
            self.queue.put_back(batch if whole else Batch(retryable, not_before))

    def drop(self, entry: Entry, reason: str, attempted: bool = False) -> None:
        """Drops a queued decision."""
        if self.queue.settle(entry):
            self.ledger.count_drop(reason, entry.agent_id, entry.sequence, attempted)
            self._notices.drop(reason, is_reported=reason == "shutdown")

    def note(self, result: BatchResult) -> None:
        """Reports the failures of a result."""
        failed = sum(item is not ItemResult.SENT for item in result.items)
        if failed or not result.is_accepted:
            self.ledger.last_error = result.summary
            if result.items[:1] == [ItemResult.TOO_LARGE] and failed > 1:
                # The two halves are retried: nothing is lost yet.
                return
            self._notices.error("send", result.summary, failed, hint_of(self._settings, result))

    def _succeed(self, now: float) -> None:
        """Notes that the gateway accepted decisions."""
        self.gate.succeed(now)
        self.ledger.last_success_at = (
            datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
        ).replace("+00:00", "Z")

    def pass_gate(self, result: BatchResult, now: float) -> None:
        """Opens or closes the gate for later requests, depending on the result."""
        if result.is_misconfigured:
            self.gate.trip(now)
        elif _is_all_retry(result):
            self.gate.fail(now, result.retry_after_s)
        elif result.is_accepted or ItemResult.SENT in result.items:
            self._succeed(now)
        else:
            self.gate.succeed(now)
        if result.is_retryable:
            self.gate.hold(now, result.retry_after_s)
        if result.is_accepted and ItemResult.SENT in result.items:
            self._grow()

    def _exclude_suspension(self, batch: Batch, now: float) -> None:
        """Extends the retry budget by the time during which the host was suspended.

        A request exceeds its timeout only if the host was suspended.
        """
        suspended_s = now - batch.began_at - self._settings.timeout_ms / 1000
        if suspended_s > 0:
            for entry in batch.entries:
                entry.first_attempt_at += suspended_s

    def _sent(self, entry: Entry) -> None:
        if self.queue.settle(entry):
            self.ledger.count_sent(entry.sequence)

    def _retry_at(self, batch: Batch, result: BatchResult, now: float) -> float:
        """Returns the earliest time to send the decisions to retry, disregarding the gate.

        If the gateway accepted the batch in part, only these decisions must wait. Otherwise the
        gate makes all requests wait.
        """
        if result.is_misconfigured or _is_all_retry(result):
            return 0.0
        return now + self.gate.draw_pause_s(max(entry.attempts for entry in batch.entries))

    def _is_spent(self, entry: Entry, not_before: float) -> bool:
        """Checks whether a decision has no time or attempts left."""
        settings = self._settings
        ends_at = entry.first_attempt_at + settings.retry_budget_ms / 1000
        is_late = max(self.gate.opens_at, not_before) > ends_at
        return is_late or entry.attempts >= settings.retry_max_attempts

    def _split(self, batch: Batch) -> None:
        entries = [entry for entry in batch.entries if not entry.is_settled]
        if len(batch.entries) == 1:
            for entry in entries:
                self.drop(entry, "too_large", attempted=True)
            return
        middle = (len(batch.entries) + 1) // 2
        self.queue.batch_items = min(self.queue.batch_items, max(1, len(batch.entries) // 2))
        for entry in entries:
            # The attempt does not count, because a smaller batch has not been tried yet.
            entry.attempts -= 1
        halves = (batch.entries[:middle], batch.entries[middle:])
        left = [[entry for entry in half if not entry.is_settled] for half in halves]
        self.queue.put_back(*(Batch(half) for half in left if half))

    def _grow(self) -> None:
        queue = self.queue
        queue.batch_items = min(queue.batch_items + 1, self._settings.batch_max_items)


def _is_all_retry(result: BatchResult) -> bool:
    """Checks whether every decision must be retried, in which case all requests wait."""
    return result.is_retryable and all(item is ItemResult.RETRY for item in result.items)
