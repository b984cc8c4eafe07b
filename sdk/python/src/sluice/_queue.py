"""Queue of unsent decisions, including those in flight, with limits on items and bytes."""

from __future__ import annotations

import uuid
from collections import deque

from sluice._options import Settings


class Entry:
    """One encoded decision."""

    __slots__ = (
        "agent_id",
        "attempts",
        "data",
        "decision_id",
        "first_attempt_at",
        "is_settled",
        "sequence",
        "waits_since",
    )

    def __init__(self, decision_id: str, data: bytes, agent_id: str | None) -> None:
        self.decision_id = decision_id
        self.data = data
        self.agent_id = agent_id
        self.sequence = 0
        """Position in logging order."""
        self.waits_since = 0.0
        self.attempts = 0
        self.first_attempt_at = 0.0
        self.is_settled = False


class Batch:
    """The decisions of one request. A batch that is retried unchanged keeps its id."""

    __slots__ = ("attempts", "began_at", "entries", "id", "not_before", "size")

    def __init__(self, entries: list[Entry], not_before: float = 0.0) -> None:
        self.entries = entries
        self.not_before = not_before
        self.size = sum(len(entry.data) for entry in entries)
        self.id = str(uuid.uuid4())
        self.attempts = 0
        self.began_at = 0.0
        """Start of the last attempt."""


class Queue:
    """Not thread-safe: the sender holds the lock. Times are in seconds of a monotonic clock."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._fresh: deque[Entry] = deque()
        self._retries: deque[Batch] = deque()
        self._fresh_size = 0
        self._next_sequence = 1
        self.batch_items = settings.batch_max_items
        """Maximum number of decisions in a batch, lowered after a 413."""
        self._in_flight: list[Batch] = []
        self._in_flight_items = 0
        self._in_flight_size = 0
        self.items = 0
        self.size = 0
        """Size in bytes. Like `items`, it includes decisions in flight."""

    @property
    def last_sequence(self) -> int:
        return self._next_sequence - 1

    def make_room(self, size: int) -> list[Entry] | None:
        """Evicts entries to make room for `size` bytes. Returns None if that is impossible."""
        settings = self._settings
        if self.items < settings.queue_max_items and self.size + size <= settings.queue_max_bytes:
            return []
        if settings.queue_policy == "drop-newest":
            return None
        if self._in_flight_items >= settings.queue_max_items:
            return None
        if self._in_flight_size + size > settings.queue_max_bytes:
            return None
        evicted: list[Entry] = []
        while self.items >= settings.queue_max_items or self.size + size > settings.queue_max_bytes:
            evicted.append(self._evict())
        return evicted

    def push(self, entry: Entry, now: float) -> None:
        """Queues a decision. The caller has made room for it."""
        entry.sequence = self._next_sequence
        self._next_sequence += 1
        entry.waits_since = now
        self._fresh.append(entry)
        self._fresh_size += len(entry.data) + 1
        self.items += 1
        self.size += len(entry.data)

    def needs_wake(self) -> bool:
        """Checks whether the most recently queued decision affects when the next batch is due."""
        if len(self._fresh) in (1, self.batch_items):
            return True
        excess = self._fresh_size - self._settings.batch_max_bytes
        return 0 <= excess <= len(self._fresh[-1].data)

    def due_at(self, flush_to: int) -> float | None:
        """Returns when the next batch is due: 0 for immediately, None if nothing is waiting.

        `flush_to` is the sequence of the last decision that a flush waits for.
        """
        times = [batch.not_before for batch in self._retries]
        if self._fresh:
            times.append(self._fresh_due_at(flush_to))
        return min(times, default=None)

    def _fresh_due_at(self, flush_to: int) -> float:
        settings = self._settings
        first = self._fresh[0]
        is_full = len(self._fresh) >= self.batch_items
        if is_full or self._fresh_size >= settings.batch_max_bytes:
            return 0
        if settings.mode == "immediate" or first.sequence <= flush_to:
            return 0
        return first.waits_since + settings.batch_interval_ms / 1000

    def take(self, now: float, reserved: int) -> Batch | None:
        """Takes the next batch and marks it as in flight. Leaves room for `reserved` more bytes."""
        ripe = next((batch for batch in self._retries if batch.not_before <= now), None)
        if ripe is not None:
            self._retries.remove(ripe)
        elif not self._fresh:
            return None
        batch = ripe or Batch(self._take_fresh(reserved))
        batch.attempts += 1
        batch.began_at = now
        for entry in batch.entries:
            entry.attempts += 1
            if entry.attempts == 1:
                entry.first_attempt_at = now
        self._in_flight.append(batch)
        self._in_flight_items += len(batch.entries)
        self._in_flight_size += batch.size
        return batch

    def land(self, batch: Batch) -> None:
        """Marks a batch as no longer in flight.

        Its decisions count toward the limits until each is settled.
        """
        self._in_flight.remove(batch)
        self._in_flight_items -= len(batch.entries)
        self._in_flight_size -= batch.size

    def settle(self, entry: Entry) -> bool:
        """Removes a decision. Returns False if it was already removed."""
        if entry.is_settled:
            return False
        entry.is_settled = True
        self.items -= 1
        self.size -= len(entry.data)
        return True

    def put_back(self, *batches: Batch) -> None:
        """Puts batches that must be retried at the front of the queue."""
        self._retries.extendleft(reversed(batches))

    def remove_all(self) -> list[Entry]:
        """Returns all entries, including those in flight. The caller settles each of them."""
        batches = [*self._in_flight, *self._retries]
        entries = [entry for batch in batches for entry in batch.entries]
        entries.extend(self._fresh)
        self._retries.clear()
        self._fresh.clear()
        self._fresh_size = 0
        return entries

    def _take_fresh(self, reserved: int) -> list[Entry]:
        room = self._settings.batch_max_bytes - reserved
        taken: list[Entry] = []
        while self._fresh and len(taken) < self.batch_items:
            cost = len(self._fresh[0].data) + 1
            if taken and cost > room:
                break
            room -= cost
            taken.append(self._pop_fresh())
        return taken

    def _pop_fresh(self) -> Entry:
        entry = self._fresh.popleft()
        self._fresh_size -= len(entry.data) + 1
        return entry

    def _evict(self) -> Entry:
        """Evicts and returns the oldest waiting decision."""
        if not self._retries:
            entry = self._pop_fresh()
        else:
            # The batch has changed, so its other decisions may join new batches.
            entry, *rest = self._retries.popleft().entries
            self._fresh.extendleft(reversed(rest))
            self._fresh_size += sum(len(other.data) + 1 for other in rest)
        self.settle(entry)
        return entry
