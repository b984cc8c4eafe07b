"""Observation: records one call with its input, duration and result.

Errors in this module are suppressed, so that they do not disturb the call.
"""

from __future__ import annotations

import codecs
import contextvars
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sluice._context import Fields, merge_fields
from sluice._encode import Captured, capture

Log = Callable[..., str]
_CHARS_MAX = 4 * 1024 * 1024
"""More characters than a decision can have. Longer output is dropped as too large anyway."""
_ITEMS_MAX = 100_000


@dataclass(frozen=True)
class Options:
    """The options of a wrapped function."""

    fields: Fields
    map_input: Callable[..., Any] | None = None
    map_output: Callable[[Any], Any] | None = None


def described(name: str | None, fields: Fields) -> Fields:
    """Returns the fields that are set, with `name`, if any, in the metadata."""
    return merge_fields(fields, {"metadata": {"name": name}} if name is not None else {})


class Observation:
    """Logs one decision when the observation first ends, in the context in which it began."""

    __slots__ = ("_log", "_options", "_context", "_began", "_input", "_over")

    def __init__(self, log: Log, options: Options, read_input: Callable[[], Any]) -> None:
        self._log = log
        self._options = options
        self._context = contextvars.copy_context()
        self._over = False
        self._input = snapshot_of(read_input, "/input")
        self._began = time.perf_counter()

    def items(self) -> Items:
        """Returns a collector for a stream, which keeps the original items if map_output is set."""
        return Items() if self._options.map_output is None else Items(lambda item, _: item)

    def end(self, output: Any) -> None:
        """Ends with `output`. None becomes the JSON text null, because an output is required."""
        map_output = self._options.map_output
        mapped = output if map_output is None else guarded(lambda: map_output(output))
        self.finish({"output": "null" if mapped is None else mapped})

    def fail(self, error: BaseException, fields: Fields | None = None) -> None:
        """Ends with `error`, and with `fields` that were known before it was raised."""
        self.finish(merge_fields({"output": "", **(fields or {})}, {"metadata": {"error": error}}))

    def finish(self, fields: Fields) -> None:
        """Logs the decision with `fields`; later calls have no effect."""
        if self._over:
            return
        self._over = True
        latency_ms = round((time.perf_counter() - self._began) * 1000)
        merged = merge_fields(self._options.fields, {"metadata": {"latency_ms": latency_ms}})
        merged = {"input": self._input, **merge_fields(merged, fields)}
        guarded(lambda: self._context.run(self._log, **merged))


class Items:
    """Collects the items of a stream, as joined text (bytes as UTF-8) or as a list."""

    def __init__(self, take: Callable[[Any, str], Any] = capture) -> None:
        self._take = take
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._items: list[Any] = []
        self._chars = 0
        self._is_text = True

    def add(self, item: Any) -> None:
        """Takes a snapshot of the item. Items above the limits are discarded."""
        if self._chars > _CHARS_MAX or len(self._items) >= _ITEMS_MAX:
            return
        text = self._decode(item) if isinstance(item, (bytes, bytearray)) else item
        if not isinstance(text, str):
            self._is_text = False
            text = self._take(item, "/output")
        self._items.append(text)
        self._chars += len(text) if isinstance(text, str) else _size_of(text)

    def output(self) -> Any:
        if self._is_text:
            return "".join(self._items) + self._decode(b"", True)
        return _join(self._items) if self._take is capture else self._items


def _size_of(item: Any) -> int:
    text = item.text if isinstance(item, Captured) else ""
    return _CHARS_MAX + 1 if text is None else len(text)


def _join(items: list[Any]) -> Captured:
    """Joins captured items into one JSON array."""
    parts = [item if isinstance(item, Captured) else capture(item, "/output") for item in items]
    texts = [part.text for part in parts if part.text is not None]
    if len(texts) < len(parts):
        return Captured(None)
    changes = [
        f"/output/{place}{change[len('/output') :]}"
        for place, part in enumerate(parts)
        for change in part.changes
    ]
    return Captured(f"[{','.join(texts)}]", tuple(changes))


def snapshot_of(read: Callable[[], Any], pointer: str) -> Any:
    """Takes a snapshot of the result of `read`. Text is immutable and returned unchanged."""

    def take() -> Any:
        value = read()
        return value if isinstance(value, str) else capture(value, pointer)

    return guarded(take)


def guarded(work: Callable[[], Any]) -> Any:
    """Returns the result of `work`, or text that names the type of its error."""
    try:
        return work()
    except Exception as error:
        return f"[error: {type(error).__name__}]"
