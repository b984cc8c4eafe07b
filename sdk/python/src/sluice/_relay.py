"""Generators handed through: every item, sent value and exception passes as it would have."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from functools import partial
from typing import Any

from sluice._observation import Observation

Begin = Callable[[tuple[Any, ...], dict[str, Any]], Observation]
"""Called with what the function was called with."""


def relay(
    generator: Generator[Any, Any, Any], observation: Observation
) -> Generator[Any, Any, Any]:
    """The generator, noted; a consumer that stops early ends it with what there is."""
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
    """An async generator function that does the same; there is no `yield from` for these."""

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
