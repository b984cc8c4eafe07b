"""Runs of LangChain that have begun and not ended, and whom they belong to."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from sluice._observation import Observation

_RUNS_MAX = 10_000
"""A run whose end is never told must not be kept for ever."""


class Run:
    """One run; only its root is logged when runs are logged as a whole."""

    __slots__ = ("observation", "root", "tokens")

    def __init__(self, observation: Observation | None, root: Run | None) -> None:
        self.observation = observation
        self.root = root or self
        self.tokens: dict[str, int] = {}

    def add_tokens(self, counted: dict[str, Any]) -> None:
        """Adds what one call of a model read and wrote."""
        for name in ("input_tokens", "output_tokens"):
            if isinstance(counted.get(name), int):
                self.tokens[name] = self.tokens.get(name, 0) + counted[name]


class Runs:
    """Runs by their id; beyond 10,000 the oldest is forgotten. Used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: OrderedDict[Any, Run] = OrderedDict()

    def add(self, run_id: Any, run: Run) -> None:
        """Follows a run."""
        with self._lock:
            self._runs[run_id] = run
            if len(self._runs) > _RUNS_MAX:
                self._runs.popitem(last=False)

    def find(self, run_id: Any) -> Run | None:
        """A run that has not ended."""
        with self._lock:
            return self._runs.get(run_id)

    def take(self, run_id: Any) -> Run | None:
        """Follows it no longer."""
        with self._lock:
            return self._runs.pop(run_id, None)
