"""Relays generators: records items and passes sent values and exceptions through."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from functools import partial
from typing import Any

from sluice._observation import Observation

Begin = Callable[[tuple[Any, ...], dict[str, Any]], Observation]
"""Starts an observation. Called with the arguments of the observed function."""


def relay(
    generator: Generator[Any, Any, Any], observation: Observation
) -> Generator[Any, Any, Any]:
    """Relays and records a generator. A consumer that stops early ends the decision."""
    items = observation.items()
    proceed: Callable[[], Any] = partial(generator.send, None)
    try:
        while True:
            try:
                item = proceed()
            except StopIteration as stop:
                observation.end(items.output())
                return stop.value
            items.add(item)
            try:
                received = yield item
            except GeneratorExit:
                generator.close()
                observation.end(items.output())
                raise
            except BaseException as error:
                proceed = partial(generator.throw, error)
            else:
                proceed = partial(generator.send, received)
    except BaseException as error:
        observation.fail(error, {"output": items.output()})
        raise


def relaying_async(
    function: Callable[..., AsyncGenerator[Any, Any]], begin: Begin
) -> Callable[..., AsyncGenerator[Any, Any]]:
    """Like `relay`, but for async generator functions, in which `yield from` is not allowed."""

    async def relayed(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        generator = function(*args, **kwargs)
        observation = begin(args, kwargs)
        items = observation.items()
        proceed: Callable[[], Any] = partial(generator.asend, None)
        try:
            while True:
                try:
                    item = await proceed()
                except StopAsyncIteration:
                    observation.end(items.output())
                    return
                items.add(item)
                try:
                    received = yield item
                except GeneratorExit:
                    await generator.aclose()
                    observation.end(items.output())
                    raise
                except BaseException as error:
                    proceed = partial(generator.athrow, error)
                else:
                    proceed = partial(generator.asend, received)
        except BaseException as error:
            observation.fail(error, {"output": items.output()})
            raise

    return relayed
