"""What a client offers beside `log`, and needs nothing else for: observe, trace, context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sluice._context import context
from sluice._observe import Observe
from sluice._trace import StartTrace


class Logs(Protocol):
    """Something that logs decisions."""

    @property
    def log(self) -> Callable[..., str]:
        """Takes the fields of a decision as keywords; returns its id, and never raises."""


class Ergonomics:
    """Mixed into the client."""

    context = context

    @property
    def observe(self: Logs) -> Observe:
        """Wraps a function so that each of its calls is logged."""
        return Observe(self.log)

    @property
    def trace(self: Logs) -> StartTrace:
        """Begins a decision that is put together piece by piece."""
        return StartTrace(self.log)
