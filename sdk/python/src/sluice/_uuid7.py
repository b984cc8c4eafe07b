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
        self._entropy = b""

    def make(self) -> str:
        """A new id in lower case."""
        with self._lock:
            now = int(self._now() * 1000)
            if now > self._ms:
                self._ms = now
                self._random = self._draw()
            else:
                # Also when the clock was set back.
                self._random += 1
            number = self._ms << 80 | _VERSION | _VARIANT
            number |= self._random >> _B_BITS << 64 | self._random & _B_MASK
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _draw(self) -> int:
        """73 random bits: the highest is left free, so that counting never overflows."""
        if len(self._entropy) < _DRAW_BYTES:
            self._entropy = os.urandom(_DRAWS * _DRAW_BYTES)
        drawn, self._entropy = self._entropy[:_DRAW_BYTES], self._entropy[_DRAW_BYTES:]
        return int.from_bytes(drawn, "big") >> 7


_DRAW_BYTES = 10
_DRAWS = 50
"""At a time, since each call costs more than everything else here."""

_ids = Uuid7()
new_id = _ids.make

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ids.reset)
