"""What a spawned child imports: it has a client of its own."""

from __future__ import annotations

from typing import Any

import sluice


def work(**decision: Any) -> None:
    """Logs, and returns: nobody flushes."""
    sluice.init()
    sluice.log(**decision)
