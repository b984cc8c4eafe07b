"""Uses the whole API so that mypy --strict verifies that types are kept and mistakes found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Optional

import sluice
from sluice.langchain import SluiceCallbackHandler

if TYPE_CHECKING:
    from typing_extensions import assert_type


def redact(decision: dict[str, Any]) -> Optional[dict[str, Any]]:
    return decision


client = sluice.init(agent_id="a", batch_max_items=5, sample_rate=0.5, redact=redact)
assert_type(client, sluice.Client)
assert_type(client.log(input={"a": 1}, output="x", input_tokens=3), str)
assert_type(sluice.flush(timeout_ms=10), sluice.FlushResult)
assert_type(client.stats().dropped, dict[str, int])
sluice.init(batch_max_item=5)  # type: ignore[call-arg]
sluice.init(agent_id=5)  # type: ignore[arg-type]
client.log(input=1)  # type: ignore[call-arg]
client.log(input=1, output="x", sesion_id="s")  # type: ignore[call-arg]


@client.observe
def plain(question: str, times: int = 1) -> list[str]:
    return [question] * times


@sluice.observe(name="n", map_output=lambda items: items)
def generate(question: str) -> Iterator[int]:
    yield len(question)


@client.observe(domain="d")
async def answer(question: str) -> str:
    return question


@client.observe
async def stream(question: str) -> AsyncIterator[bytes]:
    yield question.encode()


class Agent:
    @client.observe
    def method(self, question: str) -> int:
        return len(question)

    @classmethod
    @client.observe
    def of_class(cls, question: str) -> int:
        return len(question)


assert_type(plain("q", times=2), list[str])
assert_type(generate("q"), Iterator[int])
assert_type(stream("q"), AsyncIterator[bytes])
assert_type(Agent().method("q"), int)
assert_type(Agent.of_class("q"), int)
plain(5)  # type: ignore[arg-type]
client.observe(nam="n")  # type: ignore[call-overload]


async def main() -> None:
    assert_type(await answer("q"), str)
    assert_type(await client.aflush(), sluice.FlushResult)


with client.context(agent_id="a", metadata={"a": 1}), client.trace(name="n") as decision:
    assert_type(decision.decision_id, str)
    decision.set_tokens(input=1)
with sluice.trace() as other, sluice.context(session_id="s"):
    other.set_input(5)


class Model:
    """Stands in for a vendor's client."""


assert_type(sluice.wrap_openai(client, Model()), Model)
SluiceCallbackHandler(client, record="runs")
SluiceCallbackHandler(client, record="run")  # type: ignore[arg-type]
