"""Module that a spawned child imports. It creates a client."""

from __future__ import annotations

from typing import Any

import sluice


def work(**decision: Any) -> None:
    """Logs a decision and returns without flushing."""
    sluice.init()
    sluice.log(**decision)
