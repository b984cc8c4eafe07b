"""Applies a verdict: each decision of a batch is sent, given up, or waits for another attempt."""

from __future__ import annotations

import datetime

from sluice._gate import Gate
from sluice._hint import hint_of
from sluice._ledger import Ledger
from sluice._notices import Notices
from sluice._options import Settings
from sluice._queue import Batch, Entry, Queue
from sluice._verdict import Fate, Verdict


class Settler:
    """Not thread-safe: its owner has the lock."""

    def __init__(self, settings: Settings, notices: Notices) -> None:
        self._settings = settings
        self._notices = notices
        self.queue = Queue(settings)
        self.ledger = Ledger()
        self.gate = Gate(settings)

    def settle(self, batch: Batch, verdict: Verdict, now: float) -> None:
        """The batch has landed; what was abandoned meanwhile stays so."""
        self.pass_gate(verdict, now)
        self._forget_standstill(batch, now)
        fates = [
            (entry, fate)
            for entry, fate in zip(batch.entries, verdict.fates)
            if not entry.is_settled
        ]
        if verdict.fates[0] is Fate.TOO_LARGE:
            self._split(batch)
            return
        again: list[Entry] = []
        not_before = self._retry_at(batch, verdict, now)
        for entry, fate in fates:
            if fate is Fate.SENT:
                self._sent(entry)
            elif fate is Fate.REFUSED:
                self.drop(entry, "refused", offered=True)
            elif not self._is_spent(entry, not_before):
                again.append(entry)
            else:
                reason = "unauthorized" if fate is Fate.UNAUTHORIZED else "retries_exhausted"
                self.drop(entry, reason, offered=True)
        if again:
            whole = len(again) == len(batch.entries)
            self.queue.put_back(batch if whole else Batch(again, not_before))

    def drop(self, entry: Entry, reason: str, offered: bool = False) -> None:
        """Gives up a queued decision."""
        if self.queue.settle(entry):
            self.ledger.count_drop(reason, entry.agent_id, entry.sequence, offered)
            self._notices.drop(reason, is_told=reason == "shutdown")

    def note(self, verdict: Verdict) -> None:
        """Tells of what failed."""
        failed = sum(fate is not Fate.SENT for fate in verdict.fates)
        if failed or not verdict.is_taken:
            self.ledger.last_error = verdict.told
            if verdict.fates[:1] == [Fate.TOO_LARGE] and failed > 1:
                # Halves of it are on their way: nothing is wrong yet.
                return
            self._notices.error("send", verdict.told, failed, hint_of(self._settings, verdict))

    def _succeed(self, now: float) -> None:
        """The gateway took what it was sent."""
        self.gate.succeed(now)
        self.ledger.last_success_at = (
            datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
        ).replace("+00:00", "Z")

    def pass_gate(self, verdict: Verdict, now: float) -> None:
        """What an answer means for the next requests."""
        if verdict.is_misconfigured:
            self.gate.trip(now)
        elif _is_all_again(verdict):
            self.gate.fail(now, verdict.retry_after_s)
        elif verdict.is_taken or Fate.SENT in verdict.fates:
            self._succeed(now)
        else:
            self.gate.succeed(now)
        if verdict.is_again:
            self.gate.hold(now, verdict.retry_after_s)
        if verdict.is_taken and Fate.SENT in verdict.fates:
            self._grow()

    def _forget_standstill(self, batch: Batch, now: float) -> None:
        """A request takes no longer than its timeout, but a host may be suspended meanwhile."""
        stood_s = now - batch.began_at - self._settings.timeout_ms / 1000
        if stood_s > 0:
            for entry in batch.entries:
                entry.first_attempt_at += stood_s

    def _sent(self, entry: Entry) -> None:
        if self.queue.settle(entry):
            self.ledger.count_sent(entry.sequence)

    def _retry_at(self, batch: Batch, verdict: Verdict, now: float) -> float:
        """When its decisions may be tried again, as far as that is not up to the gate.

        The gateway takes decisions, but not these: only they wait.
        """
        if verdict.is_misconfigured or _is_all_again(verdict):
            return 0.0
        return now + self.gate.draw_pause_s(max(entry.attempts for entry in batch.entries))

    def _is_spent(self, entry: Entry, not_before: float) -> bool:
        """Whether there is no time or attempt left for it."""
        settings = self._settings
        ends_at = entry.first_attempt_at + settings.retry_budget_ms / 1000
        is_late = max(self.gate.opens_at, not_before) > ends_at
        return is_late or entry.attempts >= settings.retry_max_attempts

    def _split(self, batch: Batch) -> None:
        entries = [entry for entry in batch.entries if not entry.is_settled]
        if len(batch.entries) == 1:
            for entry in entries:
                self.drop(entry, "too_large", offered=True)
            return
        middle = (len(batch.entries) + 1) // 2
        self.queue.batch_items = min(self.queue.batch_items, max(1, len(batch.entries) // 2))
        for entry in entries:
            # The gateway did not look at it alone yet.
            entry.attempts -= 1
        halves = (batch.entries[:middle], batch.entries[middle:])
        left = [[entry for entry in half if not entry.is_settled] for half in halves]
        self.queue.put_back(*(Batch(half) for half in left if half))

    def _grow(self) -> None:
        queue = self.queue
        queue.batch_items = min(queue.batch_items + 1, self._settings.batch_max_items)


def _is_all_again(verdict: Verdict) -> bool:
    """Whether the gateway took and judged nothing, so that everything waits."""
    return verdict.is_again and all(fate is Fate.AGAIN for fate in verdict.fates)
