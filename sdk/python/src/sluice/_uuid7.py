"""Ids of decisions: UUIDs of version 7, each greater than the one before in this process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

_RANDOM_BITS = 74
_B_BITS = 62
_B_MASK = (1 << _B_BITS) - 1
_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62


class Uuid7:
    """Makes ids; within one millisecond they count up from a random number."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.reset()

    def reset(self) -> None:
        """Begins anew: a forked child would otherwise go on with the numbers of its parent."""
        # Reentrant, since a signal handler may log while its thread is in here.
        self._lock = threading.RLock()
        self._ms = 0
        self._random = 0

    def make(self) -> str:
        """A new id in lower case."""
        with self._lock:
            now = int(self._now() * 1000)
            if now > self._ms:
                self._ms = now
                # The highest bit is left free, so that counting never overflows.
                self._random = int.from_bytes(os.urandom(10), "big") >> 7
            else:
                # Also when the clock was set back.
                self._random += 1
            number = self._ms << 80 | _VERSION | _VARIANT
            number |= self._random >> _B_BITS << 64 | self._random & _B_MASK
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
