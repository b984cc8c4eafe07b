"""observe: wraps a function so that each call is logged as a decision.

The wrapper is the same kind of function (def, async def, generator or async generator) and has the
same results and exceptions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, overload

from sluice._notices import write_line
from sluice._observation import Log, Observation, Options, described
from sluice._relay import Begin, relay, relaying_async

Function = TypeVar("Function", bound=Callable[..., Any])


class Observe:
    """`@observe` or `@observe(domain="billing")`; the wrapped function keeps its type."""

    def __init__(self, log: Log) -> None:
        self._log = log

    @overload
    def __call__(self, function: Function, /) -> Function: ...

    @overload
    def __call__(
        self,
        /,
        *,
        name: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        domain: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        map_input: Callable[..., Any] | None = None,
        map_output: Callable[[Any], Any] | None = None,
    ) -> Callable[[Function], Function]: ...

    def __call__(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        domain: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        map_input: Callable[..., Any] | None = None,
        map_output: Callable[[Any], Any] | None = None,
    ) -> Any:
        fields = {"agent_id": agent_id, "session_id": session_id, "domain": domain}
        known = described(name, {**fields, "metadata": metadata})
        options = Options(known, map_input, map_output)
        if function is not None:
            return observe_function(function, self._log, options)
        return lambda wrapped: observe_function(wrapped, self._log, options)


def observe_function(function: Any, log: Log, options: Options) -> Any:
    """Wraps a function, classmethod or staticmethod; returns a class unchanged."""
    if isinstance(function, type):
        name = function.__name__
        write_line(f"observe wraps functions, not classes: calls of {name} are not logged")
        return function
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(observe_function(function.__func__, log, options))
    begin = _create_begin(function, log, options)
    if inspect.isasyncgenfunction(function):
        return functools.wraps(function)(relaying_async(function, begin))
    if inspect.iscoroutinefunction(function):
        return _wrap_coroutine(function, begin)
    if inspect.isgeneratorfunction(function):
        return _wrap_generator(function, begin)
    return _wrap_plain(function, begin)


def _create_begin(function: Any, log: Log, options: Options) -> Begin:
    read_input = options.map_input or _create_read_input(function)
    return lambda args, kwargs: Observation(log, options, lambda: read_input(*args, **kwargs))


def _create_read_input(function: Any) -> Callable[..., dict[str, Any]]:
    """Returns a function that reads arguments by parameter name, without self and cls."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return _read_unnamed
    parameters = signature.parameters.values()
    names = [parameter.name for parameter in parameters]
    hidden = names[0] if names and names[0] in ("self", "cls") else None
    if all(parameter.kind in _NAMED for parameter in parameters):
        # Avoids Signature.bind, which would cost more than everything else in a call.
        read = partial(_read_named, names)
    else:
        read = partial(_read_bound, signature)

    def read_input(*args: Any, **kwargs: Any) -> dict[str, Any]:
        arguments = read(args, kwargs)
        if hidden is not None:
            arguments.pop(hidden, None)
        return arguments

    return read_input


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _read_unnamed(*args: Any, **kwargs: Any) -> dict[str, Any]:
    return {"args": args, "kwargs": kwargs}


def _read_named(names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return {**dict(zip(names, args)), **kwargs}


def _read_bound(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError:
        return _read_unnamed(*args, **kwargs)


def _wrap_plain(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    def observed(*args: Any, **kwargs: Any) -> Any:
        observation = begin(args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            observation.fail(error)
            raise
        return _hand_over(result, observation)

    return observed


def _hand_over(result: Any, observation: Observation) -> Any:
    """Returns the result of a function. A generator or awaitable is observed until it ends."""
    if inspect.isgenerator(result):
        return relay(result, observation)
    if inspect.isasyncgen(result):
        return relaying_async(lambda: result, lambda args, kwargs: observation)()
    if inspect.iscoroutine(result):
        return _finish_coroutine(result, observation)
    if inspect.isawaitable(result) and hasattr(result, "add_done_callback"):
        result.add_done_callback(lambda future: _finish_future(future, observation))
        return result
    observation.end(result)
    return result


def _finish_future(future: Any, observation: Observation) -> None:
    try:
        observation.end(future.result())
    except BaseException as error:
        observation.fail(error)


async def _finish_coroutine(coroutine: Any, observation: Observation) -> Any:
    try:
        result = await coroutine
    except BaseException as error:
        observation.fail(error)
        raise
    return _hand_over(result, observation)


def _wrap_coroutine(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    async def observed(*args: Any, **kwargs: Any) -> Any:
        return await _finish_coroutine(function(*args, **kwargs), begin(args, kwargs))

    return observed


def _wrap_generator(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    def observed(*args: Any, **kwargs: Any) -> Any:
        return (yield from relay(function(*args, **kwargs), begin(args, kwargs)))

    return observed
