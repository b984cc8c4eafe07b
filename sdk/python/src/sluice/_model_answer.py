"""Reads model responses in the OpenAI format, complete or streamed.

Works with objects and dicts, without importing the vendor's library. A missing member is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from sluice._context import Fields


def member(value: Any, *path: str | int) -> Any:
    """Returns a nested member, by attribute, key or index; None if it is missing."""
    for name in path:
        if isinstance(name, int):
            is_there = isinstance(value, Sequence) and len(value) > name
            value = value[name] if is_there else None
        elif isinstance(value, Mapping):
            value = value.get(name)
        else:
            value = getattr(value, name, None)
    return value


class Answer(Protocol):
    """Collects the response to one model call."""

    def read(self, result: Any) -> None:
        """Reads a complete response."""

    def add(self, event: Any) -> None:
        """Adds one event of a stream."""

    def fields(self) -> Fields:
        """Returns the output, tokens and metadata received so far."""


class _Choice:
    """One choice of a response: its text and tool calls."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[Any, dict[str, Any]] = {}

    def output(self) -> Any:
        """Returns the text alone, or text and tool calls."""
        text = "".join(self.text)
        return {"content": text, "tool_calls": list(self.calls.values())} if self.calls else text

    def take_call(self, index: Any, part: Any) -> None:
        """Adds a tool call or a part of one, because arguments arrive in many parts."""
        called = member(part, "function") or member(part, "custom") or part
        call = self.calls.setdefault(index, {"name": "", "arguments": ""})
        identity = member(part, "call_id") or member(part, "id")
        if identity:
            call.setdefault("id", identity)
        call["name"] += member(called, "name") or ""
        call["arguments"] += member(called, "arguments") or member(called, "input") or ""


class _Collected:
    """Members that the Chat Completions API and the Responses API share."""

    def __init__(self) -> None:
        self._tokens: tuple[Any, Any] = (None, None)
        self._metadata: dict[str, Any] = {}

    def _take_head(self, result: Any, finish_reason: Any, usage_names: tuple[str, str]) -> None:
        known = {
            "model": member(result, "model"),
            "response_id": member(result, "id"),
            "finish_reason": finish_reason,
        }
        self._metadata.update({name: value for name, value in known.items() if value})
        usage = member(result, "usage")
        if usage is not None:
            read, written = usage_names
            self._tokens = (member(usage, read), member(usage, written))

    def _fields(self, output: Any) -> Fields:
        read, written = self._tokens
        tokens = {"input_tokens": read, "output_tokens": written}
        return {"output": output, **tokens, "metadata": dict(self._metadata)}


class ChatAnswer(_Collected):
    """Collects a response of the Chat Completions API."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[int, _Choice] = {}

    def read(self, result: Any) -> None:
        """Reads a ChatCompletion or a chunk of one."""
        self._take_head(
            result,
            member(result, "choices", 0, "finish_reason"),
            ("prompt_tokens", "completion_tokens"),
        )
        for choice in member(result, "choices") or ():
            kept = self._choices.setdefault(member(choice, "index") or 0, _Choice())
            message = member(choice, "message") or member(choice, "delta")
            kept.text.append(member(message, "content") or member(message, "refusal") or "")
            for place, part in enumerate(member(message, "tool_calls") or ()):
                index = member(part, "index")
                kept.take_call(place if index is None else index, part)

    add = read

    def fields(self) -> Fields:
        """Returns the fields; several choices become a list."""
        outputs = [choice.output() for _, choice in sorted(self._choices.items())]
        return self._fields(outputs if len(outputs) > 1 else next(iter(outputs), ""))


class ResponseAnswer(_Collected):
    """Collects a response of the Responses API."""

    def __init__(self) -> None:
        super().__init__()
        self._choice = _Choice()

    def read(self, result: Any) -> None:
        """Reads a Response. Its output, if any, replaces that of earlier events."""
        self._take_head(result, member(result, "status"), ("input_tokens", "output_tokens"))
        items = member(result, "output") or ()
        if items:
            self._choice = _Choice()
        for item in items:
            self._take_item(item)

    def add(self, event: Any) -> None:
        """Adds an event. The last event holds the whole response."""
        kind = member(event, "type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._choice.text.append(member(event, "delta") or "")
        elif kind == "response.output_item.done":
            self._take_item(member(event, "item"), is_text_known=True)
        elif member(event, "response") is not None:
            self.read(member(event, "response"))

    def fields(self) -> Fields:
        """Returns the fields of the response received so far."""
        return self._fields(self._choice.output())

    def _take_item(self, item: Any, *, is_text_known: bool = False) -> None:
        kind = member(item, "type")
        if kind in ("function_call", "custom_tool_call"):
            self._choice.take_call(len(self._choice.calls), item)
        elif kind == "message" and not is_text_known:
            for part in member(item, "content") or ():
                self._choice.text.append(member(part, "text") or member(part, "refusal") or "")
