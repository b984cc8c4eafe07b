"""Tests the limits of the queue, its policy, and when a batch is due."""

from __future__ import annotations

import unittest
from typing import Any

from sluice._options import resolve
from sluice._queue import Batch, Entry, Queue


def queue(**options: Any) -> Queue:
    return Queue(resolve({"batch_max_items": 2, "queue_max_items": 4, **options}, {}))


def entry(size: int = 10, agent_id: str | None = None) -> Entry:
    return Entry("", b"x" * size, agent_id)


def put(made: Queue, size: int = 10, now: float = 0.0) -> Entry | None:
    """Adds a decision. Returns the evicted decision, or the new one if it was not accepted."""
    new = entry(size)
    evicted = made.make_room(size)
    if evicted is None:
        return new
    made.push(new, now)
    return evicted[0] if evicted else None


def take(made: Queue, now: float, reserved: int) -> Batch:
    batch = made.take(now, reserved)
    assert batch is not None
    return batch


class QueueTest(unittest.TestCase):
    def test_due_by_items_bytes_time_and_flush(self) -> None:
        made = queue(batch_max_bytes=1024)
        self.assertIsNone(made.due_at(0))
        put(made, now=5)
        self.assertEqual(made.due_at(0), 6)
        self.assertEqual(made.due_at(1), 0)
        put(made)
        self.assertEqual(made.due_at(0), 0)
        take(made, 0, 0)
        put(made, 1024, now=5)
        self.assertEqual(made.due_at(0), 0)
        immediate = queue(mode="immediate")
        put(immediate)
        self.assertEqual(immediate.due_at(0), 0)

    def test_batches_by_bytes_and_a_larger_one_alone(self) -> None:
        made = queue(batch_max_bytes=1024, batch_max_items=10)
        for size in (500, 500, 500, 2000):
            put(made, size)
        sizes = []
        while made.due_at(99) is not None:
            sizes.append([len(each.data) for each in take(made, 0, 20).entries])
        self.assertEqual(sizes, [[500, 500], [500], [2000]])

    def test_drop_oldest_evicts_waiting_decisions_and_never_those_in_flight(self) -> None:
        made = queue()
        for _ in range(4):
            put(made)
        take(made, 0, 0)
        evicted = put(made)
        self.assertEqual(evicted and evicted.sequence, 3)
        take(made, 0, 0)
        refused = put(made)
        self.assertEqual((refused and refused.sequence, made.items), (0, 4))

    def test_drop_oldest_evicts_from_batches_to_retry_first(self) -> None:
        made = queue()
        for _ in range(4):
            put(made)
        batch = take(made, 0, 0)
        made.land(batch)
        made.put_back(batch)
        sequences = [each.sequence for each in [put(made), put(made)] if each]
        self.assertEqual(sequences, [1, 2])
        self.assertEqual([each.sequence for each in take(made, 0, 0).entries], [3, 4])

    def test_drop_newest(self) -> None:
        made = queue(queue_policy="drop-newest")
        self.assertEqual([put(made) is None for _ in range(6)], [True] * 4 + [False] * 2)

    def test_bytes_are_limited_too(self) -> None:
        made = queue(queue_max_bytes=1024)
        self.assertEqual([put(made, 400) is None for _ in range(2)], [True, True])
        self.assertEqual(getattr(put(made, 400), "sequence", None), 1)
        self.assertEqual(getattr(put(made, 2000), "sequence", None), 0)
        self.assertEqual((made.items, made.size), (2, 800))

    def test_a_retried_batch_keeps_its_id_and_goes_first(self) -> None:
        made = queue()
        for _ in range(3):
            put(made)
        batch = take(made, 7, 0)
        made.land(batch)
        made.put_back(batch)
        again = take(made, 9, 0)
        self.assertIs(again, batch)
        self.assertEqual((again.attempts, again.entries[0].first_attempt_at), (2, 7))

    def test_a_batch_that_must_wait_does_not_delay_others(self) -> None:
        made = queue()
        for _ in range(2):
            put(made)
        batch = take(made, 0, 0)
        made.land(batch)
        made.put_back(Batch(batch.entries[:1], not_before=9))
        self.assertEqual((made.due_at(0), made.take(8, 0)), (9, None))
        put(made)
        put(made)
        self.assertEqual(made.due_at(0), 0)
        self.assertEqual([each.sequence for each in take(made, 8, 0).entries], [3, 4])
        self.assertEqual([each.sequence for each in take(made, 9, 0).entries], [1])

    def test_remove_all_returns_everything(self) -> None:
        made = queue()
        for _ in range(4):
            put(made)
        take(made, 0, 0)
        left = made.remove_all()
        self.assertEqual([each.sequence for each in left], [1, 2, 3, 4])
        self.assertEqual([made.settle(each) for each in [*left, left[0]]], [True] * 4 + [False])
        self.assertEqual((made.items, made.size), (0, 0))
        self.assertEqual(len(Batch([entry()]).id), 36)
