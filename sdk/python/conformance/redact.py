"""Implements the ``redact`` functions that conformance cases refer to by name."""

from __future__ import annotations

from typing import Any, Callable

Decision = dict[str, Any]


def _mask(decision: Decision) -> Any:
    return {
        **decision,
        "input": {**decision["input"], "secret": "[masked]"},
        "output": "[masked]",
    }


def _mask_in_place(decision: Decision) -> Any:
    decision["input"]["secret"] = "[masked]"
    return decision


def _throw(decision: Decision) -> Any:
    raise TypeError("PRIVATE-PAYLOAD")


async def _later(decision: Decision) -> Any:
    return decision


async def _later_and_fail(decision: Decision) -> Any:
    raise TypeError("PRIVATE-PAYLOAD")


def _cyclic(decision: Decision) -> Any:
    given: Decision = {}
    given["self"] = given
    return {**decision, "input": given}


def _without_output(decision: Decision) -> Any:
    return {name: value for name, value in decision.items() if name != "output"}


KINDS: dict[str, Callable[[Decision], Any]] = {
    "mask": _mask,
    "mask_in_place": _mask_in_place,
    "nothing": lambda decision: None,
    "null": lambda decision: None,
    "throw": _throw,
    "later": _later,
    "later_and_fail": _later_and_fail,
    "number": lambda decision: 42,
    "other_agent": lambda decision: {**decision, "agent_id": "another"},
    "cyclic": _cyclic,
    "shows_metadata": lambda decision: {**decision, "input": decision.get("metadata")},
    "without_output": _without_output,
}


def redact_of(name: str) -> Callable[[Decision], Any]:
    """Raises KeyError if no function has this name."""
    return KINDS[name]
