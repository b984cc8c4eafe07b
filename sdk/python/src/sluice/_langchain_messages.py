"""Converts LangChain messages and results to plain data, without importing LangChain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sluice._context import Fields
from sluice._model_answer import member

_DEPTH_MAX = 20


def plain(value: Any, depth: int = 0) -> Any:
    """Returns the value with each message replaced by a dict of its role and content."""
    if depth > _DEPTH_MAX or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, Mapping):
        return {name: plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, depth + 1) for inner in value]
    if isinstance(member(value, "type"), str) and hasattr(value, "content"):
        return _message(value)
    return value


def _message(message: Any) -> dict[str, Any]:
    calls = _tool_calls(message)
    fields = {"role": message.type, "content": message.content}
    return {**fields, "tool_calls": calls} if calls else fields


def _tool_calls(message: Any) -> list[dict[str, Any]]:
    return [
        {"id": member(call, "id"), "name": member(call, "name"), "arguments": member(call, "args")}
        for call in member(message, "tool_calls") or ()
    ]


def answer_fields(result: Any) -> Fields:
    """Returns output, tokens and metadata of an LLMResult. Several generations become a list."""
    generations = member(result, "generations", 0) or ()
    outputs = [_output(generation) for generation in generations]
    message = member(generations, 0, "message")
    usage = member(message, "usage_metadata") or {}
    older = member(result, "llm_output", "token_usage") or {}
    model = member(message, "response_metadata", "model_name")
    return {
        "output": outputs if len(outputs) > 1 else next(iter(outputs), ""),
        "input_tokens": member(usage, "input_tokens") or member(older, "prompt_tokens"),
        "output_tokens": member(usage, "output_tokens") or member(older, "completion_tokens"),
        "metadata": {"model": model} if model else {},
    }


def _output(generation: Any) -> Any:
    """Returns the text alone, or text and tool calls."""
    message = member(generation, "message")
    text = member(generation, "text") or member(message, "content") or ""
    calls = _tool_calls(message)
    return {"content": text, "tool_calls": calls} if calls else text
