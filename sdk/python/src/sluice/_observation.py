"""One call that is being observed: what went in, when, and what came of it.

Nothing here may disturb the call: whatever fails in here is swallowed, and the call goes on.
"""

from __future__ import annotations

import codecs
import contextvars
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sluice._context import Fields, merge_fields
from sluice._encode import capture

Log = Callable[..., str]
_CHARS_MAX = 4 * 1024 * 1024
"""More than any decision may have: what has reached it will be dropped as too large anyway."""
_ITEMS_MAX = 100_000


@dataclass(frozen=True)
class Options:
    """What is said once, when a function is wrapped."""

    fields: Fields
    map_input: Callable[..., Any] | None = None
    map_output: Callable[[Any], Any] | None = None


def described(name: str | None, fields: Fields) -> Fields:
    """The fields that are set, the name among their metadata."""
    return merge_fields(fields, {"metadata": {"name": name}} if name is not None else {})


class Observation:
    """Logs one decision when it ends, in the context in which it began; only its first end counts."""

    __slots__ = ("_log", "_options", "_context", "_began", "_input", "_over")

    def __init__(self, log: Log, options: Options, read_input: Callable[[], Any]) -> None:
        self._log = log
        self._options = options
        self._context = contextvars.copy_context()
        self._over = False
        self._input = snapshot_of(read_input, "/input")
        self._began = time.perf_counter()

    def end(self, output: Any) -> None:
        """It returned `output`; None is the JSON text null, since a decision has some output."""
        map_output = self._options.map_output
        mapped = output if map_output is None else guarded(lambda: map_output(output))
        self.finish({"output": "null" if mapped is None else mapped})

    def fail(self, error: BaseException, fields: Fields | None = None) -> None:
        """It raised `error`, after it had given `fields`."""
        self.finish(merge_fields({"output": "", **(fields or {})}, {"metadata": {"error": error}}))

    def finish(self, fields: Fields) -> None:
        """Logs what is known by now; any further end is without effect."""
        if self._over:
            return
        self._over = True
        latency_ms = round((time.perf_counter() - self._began) * 1000)
        merged = merge_fields(self._options.fields, {"metadata": {"latency_ms": latency_ms}})
        merged = {"input": self._input, **merge_fields(merged, fields)}
        guarded(lambda: self._context.run(self._log, **merged))


class Items:
    """What a stream gave so far: the joined text (of bytes: as UTF-8), or a list of anything."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._items: list[Any] = []
        self._chars = 0
        self._is_text = True

    def add(self, item: Any) -> None:
        """Takes a snapshot of the item, unless there is too much already."""
        if self._chars > _CHARS_MAX or len(self._items) >= _ITEMS_MAX:
            return
        kept = self._decode(item) if isinstance(item, (bytes, bytearray)) else item
        if not isinstance(kept, str):
            self._is_text = False
            kept = snapshot_of(lambda: item, "/output")
        self._items.append(kept)
        self._chars += len(kept if isinstance(kept, str) else kept.text)

    def output(self) -> Any:
        """Text, or a list."""
        return "".join(self._items) + self._decode(b"", True) if self._is_text else self._items


def snapshot_of(read: Callable[[], Any], pointer: str) -> Any:
    """What `read` returns, as it is now; text cannot change, so it is its own snapshot."""

    def take() -> Any:
        value = read()
        return value if isinstance(value, str) else capture(value, pointer)

    return guarded(take)


def guarded(work: Callable[[], Any]) -> Any:
    """What `work` returns, or a text that names its error, without what the error says."""
    try:
        return work()
    except Exception as error:
        return f"[error: {type(error).__name__}]"
