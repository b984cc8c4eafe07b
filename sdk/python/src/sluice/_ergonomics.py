"""Client methods that build on `log`: observe, trace and context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sluice._context import context
from sluice._observe import Observe
from sluice._trace import StartTrace


class Logs(Protocol):
    """An object that logs decisions, such as a client."""

    @property
    def log(self) -> Callable[..., str]:
        """Takes the fields of a decision as keyword arguments and returns its id. Never raises."""


class Ergonomics:
    """Mixin of the client."""

    context = context

    @property
    def observe(self: Logs) -> Observe:
        """Wraps a function so that each call is logged."""
        return Observe(self.log)

    @property
    def trace(self: Logs) -> StartTrace:
        """Starts a decision whose fields are set step by step."""
        return StartTrace(self.log)
