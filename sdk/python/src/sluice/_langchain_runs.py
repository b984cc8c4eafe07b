"""Tracks LangChain runs that have not ended, with their root runs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from sluice._observation import Observation

_RUNS_MAX = 10_000
"""Maximum number of tracked runs. Needed because the end of a run may never be reported."""


class Run:
    """A run. With record="runs", only root runs are logged."""

    __slots__ = ("observation", "root", "tokens")

    def __init__(self, observation: Observation | None, root: Run | None) -> None:
        self.observation = observation
        self.root = root or self
        self.tokens: dict[str, int] = {}

    def add_tokens(self, counted: dict[str, Any]) -> None:
        """Adds the token counts of one model call."""
        for name in ("input_tokens", "output_tokens"):
            if isinstance(counted.get(name), int):
                self.tokens[name] = self.tokens.get(name, 0) + counted[name]


class Runs:
    """Runs by id. Drops the oldest run above the maximum. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: OrderedDict[Any, Run] = OrderedDict()

    def add(self, run_id: Any, run: Run) -> None:
        with self._lock:
            self._runs[run_id] = run
            if len(self._runs) > _RUNS_MAX:
                self._runs.popitem(last=False)

    def find(self, run_id: Any) -> Run | None:
        """Returns the run; None if it has ended or is unknown."""
        with self._lock:
            return self._runs.get(run_id)

    def take(self, run_id: Any) -> Run | None:
        """Removes the run and returns it; None if it is unknown."""
        with self._lock:
            return self._runs.pop(run_id, None)
