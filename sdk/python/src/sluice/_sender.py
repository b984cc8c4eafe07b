"""Sender: worker threads, and the state that they share with log, flush and close."""

from __future__ import annotations

import threading
import time

from sluice import _lifecycle
from sluice._batch_result import BatchResult
from sluice._exchange import Exchange, Job, report_text
from sluice._ledger import FlushWatch
from sluice._notices import Notices
from sluice._options import Settings
from sluice._queue import Entry
from sluice._settle import Settler
from sluice._stats import FlushResult, Stats
from sluice._transport import Transport

_ENVELOPE_BYTES = 20
_WORKERS_MAX = 2


class Sender:
    """Thread-safe. Only `flush` and `close` wait for the network."""

    def __init__(self, settings: Settings, notices: Notices) -> None:
        self._settings = settings
        self._notices = notices
        self._exchange = Exchange(settings)
        # Reentrant, because a signal handler may log or flush while its thread holds the lock.
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)
        self._progress = threading.Condition(self._lock)
        self._settler = Settler(settings, notices)
        self._queue = self._settler.queue
        self._ledger = self._settler.ledger
        self._gate = self._settler.gate
        self._workers = 0
        self._idle = 0
        self._in_flight = 0
        self._report_wanted = False
        self._transports: list[Transport] = []
        self.is_closed = False

    def put(self, entry: Entry, is_changed: bool) -> None:
        """Queues a decision. Drops old decisions or the new one if the queue is full."""
        with self._lock:
            self._ledger.logged += 1
            self._ledger.changed += is_changed
            evicted = None if self.is_closed else self._queue.make_room(len(entry.data))
            if evicted is None:
                self._drop_new("shutdown" if self.is_closed else "queue_full", entry.agent_id)
                return
            for old in evicted:
                self._ledger.count_drop("queue_full", old.agent_id, old.sequence)
                self._note_drop("queue_full")
            self._queue.push(entry, time.monotonic())
            # An earlier attempt to start a worker may have failed.
            if self._queue.needs_wake() or self._workers == 0:
                self._wake()

    def drop(self, reason: str, agent_id: str | None) -> None:
        """Counts a decision that was dropped before it was queued."""
        with self._lock:
            self._ledger.logged += 1
            self._drop_new(reason, agent_id)

    def sample_out(self) -> None:
        with self._lock:
            self._ledger.logged += 1
            self._ledger.sampled_out += 1

    def deliver_notices(self) -> None:
        """Wakes a worker to deliver notices."""
        with self._lock:
            self._wake()

    def flush(self, timeout_s: float) -> FlushResult:
        """See `Client.flush`."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            watch = FlushWatch(self._queue.last_sequence, self._queue.items)
            self._ledger.flushes.append(watch)
            self._work.notify_all()
            has_work = watch.pending > 0 or self._ledger.has_unreported
            is_alone = has_work and self._workers == 0 and not self._start_worker()
            self._workers += is_alone
        if is_alone:
            # At interpreter shutdown no new threads can start, so this thread sends.
            self._run_worker(watch, deadline)
        with self._lock:
            while not self._is_over(watch, deadline):
                self._progress.wait(max(0.0, deadline - time.monotonic()))
            self._ledger.flushes.remove(watch)
        self._notices.deliver()
        return watch.result()

    def hurry(self) -> None:
        """Starts to send all waiting decisions, without waiting for the result."""
        with self._lock:
            self._ledger.hurried_to = self._queue.last_sequence
            self._wake()

    def close(self) -> int:
        """Drops all remaining decisions and returns their number."""
        with self._lock:
            left = [] if self.is_closed else self._queue.remove_all()
            self.is_closed = True
            for entry in left:
                self._settler.drop(entry, "shutdown")
            self._work.notify_all()
            self._progress.notify_all()
        self._notices.deliver(is_last=True)
        return len(left)

    def stats(self) -> Stats:
        with self._lock:
            return self._ledger.stats(self._queue.items, self._queue.size)

    def abandon_connections(self) -> None:
        """Closes the connections in a forked child, because they belong to its parent."""
        for transport in self._transports:
            transport.abandon()

    def _drop_new(self, reason: str, agent_id: str | None) -> None:
        self._ledger.count_drop(reason, agent_id)
        self._note_drop(reason)

    def _note_drop(self, reason: str) -> None:
        had_news = self._notices.has_news
        self._notices.drop(reason)
        if not had_news:
            self._wake()

    def _wake(self) -> None:
        """Wakes a worker, or starts one, to act on a change."""
        if self._idle:
            self._work.notify()
        elif self.is_closed:
            self._notices.deliver()
        elif self._workers < _WORKERS_MAX:
            self._start_worker()

    def _is_over(self, watch: FlushWatch, deadline: float) -> bool:
        """Checks whether a flush has nothing left to wait for."""
        now = time.monotonic()
        if now >= deadline or self.is_closed:
            return True
        if self._in_flight == 0 and self._gate.opens_at > deadline:
            return True
        if watch.pending > 0:
            return False
        if self._ledger.has_unreported and not watch.has_reported:
            watch.has_reported = self._report_wanted = True
            self._work.notify()
        return not self._report_wanted

    def _start_worker(self) -> bool:
        self._workers += 1
        _lifecycle.end_with_worker_process()
        try:
            threading.Thread(target=self._run_worker, name="sluice", daemon=True).start()
            return True
        except RuntimeError:
            self._workers -= 1
            return False

    def _run_worker(self, watch: FlushWatch | None = None, deadline: float = 0.0) -> None:
        """Sends until the client is closed or, with a watch, until the watched flush is over."""
        transport = self._exchange.new_transport()
        self._transports.append(transport)
        try:
            while True:
                self._notices.deliver()
                with self._lock:
                    job = self._wait_for_job(watch, deadline)
                if job is None:
                    return
                if job is not _NEWS:
                    result = self._exchange.run(transport, job)
                    with self._lock:
                        self._land(job, result)
        finally:
            transport.close()
            with self._lock:
                self._workers -= 1
                self._transports.remove(transport)

    def _wait_for_job(self, watch: FlushWatch | None, deadline: float) -> Job | None:
        """Waits until a request is due and returns it; None when the worker must end."""
        while True:
            now = time.monotonic()
            if self.is_closed or (watch is not None and self._is_over(watch, deadline)):
                return None
            due_at = self._due_at()
            if due_at is not None and due_at <= now:
                return self._take(now)
            news_at = self._notices.due_at()
            if news_at is not None and news_at <= now:
                return _NEWS
            times = [due_at, news_at, None if watch is None else deadline]
            wake_at = min((at for at in times if at is not None), default=None)
            self._idle += 1
            try:
                self._work.wait(None if wake_at is None else wake_at - now)
            finally:
                self._idle -= 1

    def _due_at(self) -> float | None:
        """Returns when the next request may start; None if none is waiting or allowed."""
        if self._in_flight >= self._gate.in_flight_max:
            return None
        due_at = self._queue.due_at(self._ledger.flush_to)
        if self._report_wanted and self._ledger.has_unreported:
            due_at = 0
        return None if due_at is None else max(due_at, self._gate.opens_at)

    def _take(self, now: float) -> Job:
        report = self._ledger.take_report()
        reserved = _ENVELOPE_BYTES + (0 if report is None else len(report_text(report)))
        batch = self._queue.take(now, reserved)
        entries = [] if batch is None else batch.entries
        self._in_flight += 1
        self._ledger.requests += 1
        self._ledger.retried += sum(entry.attempts > 1 for entry in entries)
        if self._due_at() is not None:
            # Wakes another worker, which waits until the next request is due.
            self._wake()
        return Job(batch, report)

    def _land(self, job: Job, result: BatchResult) -> None:
        now = time.monotonic()
        self._in_flight -= 1
        if job.batch is not None:
            self._queue.land(job.batch)
            self._settler.settle(job.batch, result, now)
        else:
            self._settler.pass_gate(result, now)
        if job.report is not None:
            self._report_wanted = False
            if not result.is_accepted:
                self._ledger.put_back(job.report)
        self._settler.note(result)
        self._work.notify_all()
        self._progress.notify_all()


_NEWS = Job(None, None)
