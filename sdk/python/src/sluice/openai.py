"""wrap_openai: logs every call to an OpenAI or compatible client as a decision.

Works with any sync or async client that has `chat.completions.create` or `responses.create`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from sluice._context import Fields
from sluice._ergonomics import Logs
from sluice._model_answer import Answer, ChatAnswer, ResponseAnswer, member
from sluice._notices import write_line
from sluice._observation import Log, Observation, Options, guarded
from sluice._observed_stream import ObservedStream

__all__ = ["wrap_openai"]

OpenAI = TypeVar("OpenAI")
_METHODS = ("create", "parse")
_MARK = "_sluice_observed"
_RAW_HEADER = "x-stainless-raw-response"


class _Shape(NamedTuple):
    path: tuple[str, ...]
    input_of: Callable[[Fields], Any]
    create_answer: Callable[[], Answer]


def _responses_input(request: Fields) -> Any:
    content, instructions = request.get("input"), request.get("instructions")
    return {"instructions": instructions, "input": content} if instructions else content


_SHAPES = (
    _Shape(("chat", "completions"), lambda request: request.get("messages"), ChatAnswer),
    _Shape(("responses",), _responses_input, ResponseAnswer),
)


def wrap_openai(client: Logs, openai: OpenAI) -> OpenAI:
    """Changes the client so that its calls are logged, and returns it. Idempotent."""
    found = list(_methods_of(openai))
    if not found:
        methods = "neither chat.completions.create nor responses.create"
        write_line(f"wrap_openai: the client has {methods}, so nothing is logged")
    for resource, name, shape in found:
        method = getattr(resource, name)
        if not hasattr(method, _MARK):
            observed = _observe_method(method, client.log, shape)
            guarded(functools.partial(setattr, resource, name, observed))
    return openai


def _methods_of(openai: object) -> Iterator[tuple[Any, str, _Shape]]:
    for shape in _SHAPES:
        resource = guarded(functools.partial(member, openai, *shape.path))
        for name in _METHODS:
            if callable(getattr(resource, name, None)):
                yield resource, name, shape


def _observe_method(method: Callable[..., Any], log: Log, shape: _Shape) -> Callable[..., Any]:
    @functools.wraps(method)
    def observed(*args: Any, **request: Any) -> Any:
        if _asks_for_raw(request):
            return method(*args, **request)
        options = Options(_request_fields(request))
        observation = Observation(log, options, lambda: shape.input_of(request))
        call = _Call(request.get("stream") is True, shape.create_answer(), observation)
        try:
            result = method(*args, **request)
        except BaseException as error:
            call.fail(error)
            raise
        return call.wait_for(result) if inspect.isawaitable(result) else call.take(result)

    setattr(observed, _MARK, True)
    return observed


def _request_fields(request: Fields) -> Fields:
    return {"metadata": {"model": request.get("model"), "provider": "openai"}}


def _asks_for_raw(request: Fields) -> bool:
    """Checks for with_raw_response and with_streaming_response, which return unparsed bodies."""
    headers = request.get("extra_headers")
    return isinstance(headers, dict) and any(str(name).lower() == _RAW_HEADER for name in headers)


class _Call(NamedTuple):
    is_stream: bool
    answer: Answer
    observation: Observation

    def take(self, result: Any) -> Any:
        if self.is_stream:
            return ObservedStream(result, self.answer, self.observation)
        guarded(lambda: self.answer.read(result))
        guarded(lambda: self.observation.finish(self.answer.fields()))
        return result

    async def wait_for(self, result: Any) -> Any:
        try:
            return self.take(await result)
        except BaseException as error:
            self.fail(error)
            raise

    def fail(self, error: BaseException) -> None:
        guarded(lambda: self.observation.fail(error))
