"""Generates decision ids: UUIDv7, each greater than the previous one."""

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
    """Generates ids. Within a millisecond they count up from a random number."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.reset()

    def reset(self) -> None:
        """Starts again in a forked child, which must not repeat the ids of its parent."""
        # Reentrant, because a signal handler may log while its thread holds the lock.
        self._lock = threading.RLock()
        self._ms = 0
        self._random = 0
        self._entropy = b""

    def make(self) -> str:
        """Returns a new id in lower case."""
        with self._lock:
            now = int(self._now() * 1000)
            if now > self._ms:
                self._ms = now
                self._random = self._draw()
            else:
                # The same millisecond, or the clock was set back.
                self._random += 1
            number = self._ms << 80 | _VERSION | _VARIANT
            number |= self._random >> _B_BITS << 64 | self._random & _B_MASK
        text = f"{number:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def _draw(self) -> int:
        """Returns 73 random bits. The 74th bit is 0, so that counting never overflows."""
        if len(self._entropy) < _DRAW_BYTES:
            self._entropy = os.urandom(_DRAWS * _DRAW_BYTES)
        drawn, self._entropy = self._entropy[:_DRAW_BYTES], self._entropy[_DRAW_BYTES:]
        return int.from_bytes(drawn, "big") >> 7


_DRAW_BYTES = 10
_DRAWS = 50
"""Number of ids per call of os.urandom, which is slower than everything else here."""

_ids = Uuid7()
new_id = _ids.make

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ids.reset)
