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
from sluice._encode import Captured, capture

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
    """Logs one decision when it first ends, in the context in which it began."""

    __slots__ = ("_log", "_options", "_context", "_began", "_input", "_over")

    def __init__(self, log: Log, options: Options, read_input: Callable[[], Any]) -> None:
        self._log = log
        self._options = options
        self._context = contextvars.copy_context()
        self._over = False
        self._input = snapshot_of(read_input, "/input")
        self._began = time.perf_counter()

    def items(self) -> Items:
        """Collects what a stream gives; a mapping of the output sees the items themselves."""
        return Items() if self._options.map_output is None else Items(lambda item, _: item)

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

    def __init__(self, take: Callable[[Any, str], Any] = capture) -> None:
        self._take = take
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._items: list[Any] = []
        self._chars = 0
        self._is_text = True

    def add(self, item: Any) -> None:
        """Keeps the item as it is now, unless there is too much already."""
        if self._chars > _CHARS_MAX or len(self._items) >= _ITEMS_MAX:
            return
        text = self._decode(item) if isinstance(item, (bytes, bytearray)) else item
        if not isinstance(text, str):
            self._is_text = False
            text = self._take(item, "/output")
        self._items.append(text)
        self._chars += len(text) if isinstance(text, str) else _size_of(text)

    def output(self) -> Any:
        """Text, or a list."""
        if self._is_text:
            return "".join(self._items) + self._decode(b"", True)
        return _join(self._items) if self._take is capture else self._items


def _size_of(item: Any) -> int:
    text = item.text if isinstance(item, Captured) else ""
    return _CHARS_MAX + 1 if text is None else len(text)


def _join(items: list[Any]) -> Captured:
    """One array of all that was captured."""
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
