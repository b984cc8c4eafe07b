"""Calls an observed function and reports what the caller receives."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

from values import value_of

Members = dict[str, Any]


class HostError(Exception):
    """Raised by a function of the host."""


def observe_call(client: Any, command: Members) -> Members:
    error = HostError(command.get("throws", ""))
    observed = client.observe(**command["fields"])(_function_of(command, error))
    try:
        if command.get("asynchronous"):
            return asyncio.run(_await_answer(observed, command))
        answer = observed("question")
        if "yields" in command:
            return {"yielded": _take(answer, command)}
        return {"returned": answer}
    except HostError as raised:
        return {"thrown": "the same" if raised is error else repr(raised)}


def _function_of(command: Members, error: HostError) -> Callable[[str], Any]:
    def answer(question: str) -> Any:
        if "throws" in command:
            raise error
        return value_of(command["returns"])

    async def answer_later(question: str) -> Any:
        return answer(question)

    def stream(question: str) -> Any:
        yield from command["yields"]
        if "throws" in command:
            raise error

    async def stream_later(question: str) -> Any:
        for each in command["yields"]:
            yield each
        if "throws" in command:
            raise error

    if command.get("asynchronous"):
        return stream_later if "yields" in command else answer_later
    return stream if "yields" in command else answer


async def _await_answer(observed: Callable[[str], Any], command: Members) -> Members:
    if "yields" not in command:
        return {"returned": await observed("question")}
    taken = []
    stream = observed("question")
    async for each in stream:
        taken.append(each)
        if len(taken) >= command.get("take", float("inf")):
            await stream.aclose()
            break
    return {"yielded": taken}


def _take(stream: Any, command: Members) -> list[Any]:
    taken = []
    for each in stream:
        taken.append(each)
        if len(taken) >= command.get("take", float("inf")):
            stream.close()
            break
    return taken
