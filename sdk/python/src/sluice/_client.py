"""The client: takes decisions at once, and sends them in the background."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import urllib.request
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sluice._context import current_fields, merge_fields
from sluice._options import resolve
from sluice._stats import FlushResult, Stats
from sluice._uuid7 import Uuid7
from sluice._version import SDK_VERSION

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sluice._decision import DecisionFields
    from sluice._options import InitOptions

_ids = Uuid7()
new_id = _ids.make


class Client:
    """Takes decisions from any thread. Nothing that it does reaches its host as an exception."""

    def __init__(self, **options: Unpack[InitOptions]) -> None:
        self.settings = resolve(options, os.environ)
        for warning in self.settings.warnings:
            print(f"sluice: {warning}", file=sys.stderr)
        self._waiting: list[dict[str, Any]] = []
        self._logged = self._sent = 0
        self._condition = threading.Condition()
        self._closed = False
        threading.Thread(target=self._work, daemon=True).start()

    def log(self, **fields: Unpack[DecisionFields]) -> str:
        """Takes a decision and returns its id at once. Never raises, never waits."""
        defaults = {"agent_id": self.settings.agent_id, "domain": self.settings.domain}
        outer = merge_fields({k: v for k, v in defaults.items() if v}, current_fields())
        decision = merge_fields(outer, dict(fields))
        decision["input"] = fields.get("input")
        decision["decision_id"] = fields.get("decision_id") or _ids.make()
        decision["sdk_version"] = SDK_VERSION
        with self._condition:
            self._logged += 1
            self._waiting.append(json.loads(json.dumps(decision, default=str)))
            self._condition.notify()
        return str(decision["decision_id"])

    def flush(self, timeout_ms: int | None = None) -> FlushResult:
        """Sends what was logged before, and says what became of it. Never raises."""
        timeout = (self.settings.shutdown_ms if timeout_ms is None else timeout_ms) / 1000
        with self._condition:
            before = self._sent
            self._condition.wait_for(lambda: self._sent == self._logged, timeout)
            return FlushResult(self._sent - before, 0, 0, self._logged - self._sent)

    async def aflush(self, timeout_ms: int | None = None) -> FlushResult:
        """`flush`, for coroutines."""
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, self.flush, timeout_ms)

    def stats(self) -> Stats:
        """What became of all decisions so far."""
        with self._condition:
            pending = self._logged - self._sent
            return Stats(self._logged, self._sent, {}, 0, pending, 0, 0, 0, 0, None, None)

    def close(self) -> None:
        """Flushes, and gives up what is left after `shutdown_ms`."""
        self.flush()
        self._closed = True

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _work(self) -> None:
        while not self._closed:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting)
                batch, self._waiting = self._waiting, []
            self._post(batch)

    def _post(self, batch: list[dict[str, Any]]) -> None:
        request = urllib.request.Request(
            f"{self.settings.base_url}/v1/ingest/batch",
            json.dumps({"decisions": batch}).encode(),
            {
                "Authorization": f"Bearer {self.settings.api_key}",
                "Content-Type": "application/json",
            },
        )
        try:
            urllib.request.urlopen(request, timeout=self.settings.timeout_ms / 1000).read()
        except OSError:
            time.sleep(0.2)
            with self._condition:
                self._waiting[:0] = batch
            return
        with self._condition:
            self._sent += len(batch)
            self._condition.notify_all()
