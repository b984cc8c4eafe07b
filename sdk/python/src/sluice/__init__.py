"""Sends agent decisions to a Sluice gateway without blocking the program.

import sluice

sluice.init(agent_id="support")
sluice.log(input={"question": "…"}, output="…")
"""

from __future__ import annotations

from sluice._client import Client
from sluice._context import context
from sluice._errors import SluiceError
from sluice._module import close, flush, init, log, observe, stats, trace
from sluice._stats import FlushResult, Stats
from sluice._version import VERSION as __version__
from sluice.openai import wrap_openai

__all__ = [
    "Client",
    "FlushResult",
    "SluiceError",
    "Stats",
    "__version__",
    "close",
    "context",
    "flush",
    "init",
    "log",
    "observe",
    "stats",
    "trace",
    "wrap_openai",
]
