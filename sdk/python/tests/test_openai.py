"""Tests wrap_openai with fake clients; tests/libraries uses the library itself."""

from __future__ import annotations

import asyncio
import contextlib
import io
import unittest
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace as Shape
from typing import Any

from sluice import wrap_openai
from support import ClientTestCase

MESSAGES = [{"role": "user", "content": "q"}]
USAGE = {"prompt_tokens": 3, "completion_tokens": 5}


def completion(content: str | None, **more: Any) -> Any:
    message = Shape(content=content, **more)
    choice = Shape(index=0, message=message, finish_reason="stop")
    return Shape(id="c1", model="m-1", choices=[choice], usage=Shape(**USAGE))


def chunk(content: str | None, **more: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": {"content": content, **more}}]}


class Stream:
    """Like the library's stream, has members besides iteration and is closed by its owner."""

    def __init__(self, items: list[Any]) -> None:
        self.response = "raw"
        self.is_closed = False
        self._items = iter(items)

    def __iter__(self) -> Iterator[Any]:
        yield from self._items

    def __next__(self) -> Any:
        return next(self._items)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.is_closed = True


class AsyncStream:
    def __init__(self, items: list[Any]) -> None:
        self._items = items
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self._items:
            if isinstance(item, BaseException):
                raise item
            yield item

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        self.is_closed = True


class Resource:
    """Its `create` returns or raises the answer that was passed to the constructor."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []

    def create(self, **request: Any) -> Any:
        """Simulates a model call."""
        self.requests.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def chat_client(answer: Any) -> Any:
    return Shape(chat=Shape(completions=Resource(answer)))


class ChatTest(ClientTestCase):
    def ask(self, answer: Any, **request: Any) -> Any:
        self.model = wrap_openai(self.client, chat_client(answer))
        return self.model.chat.completions.create(model="m", messages=MESSAGES, **request)

    def test_a_response_is_returned_unchanged(self) -> None:
        answer = completion("hello")
        self.assertIs(self.ask(answer, temperature=0), answer)
        [request] = self.model.chat.completions.requests
        self.assertEqual(request, {"model": "m", "messages": MESSAGES, "temperature": 0})
        sent = self.decision()
        self.assertEqual((sent["input"], sent["output"]), (MESSAGES, "hello"))
        self.assertEqual((sent["input_tokens"], sent["output_tokens"]), (3, 5))
        sent["metadata"].pop("latency_ms")
        expected = {"model": "m-1", "provider": "openai", "response_id": "c1"}
        self.assertEqual(sent["metadata"], {**expected, "finish_reason": "stop"})

    def test_tool_calls_are_part_of_the_output(self) -> None:
        call = Shape(id="t", function=Shape(name="look", arguments='{"a":1}'))
        self.ask(completion(None, tool_calls=[call]))
        expected = (
            '{"content":"","tool_calls":[{"name":"look","arguments":"{\\"a\\":1}","id":"t"}]}'
        )
        self.assertEqual(self.decision()["output"], expected)

    def test_errors_are_raised_unchanged(self) -> None:
        error = RuntimeError("no")
        with self.assertRaises(RuntimeError) as caught:
            self.ask(error)
        self.assertIs(caught.exception, error)
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "RuntimeError")

    def test_a_stream_passes_through_and_is_joined(self) -> None:
        parts = [{"index": 0, "id": "t", "function": {"name": "look", "arguments": '{"a"'}}]
        more = [{"index": 0, "function": {"arguments": ":1}"}}]
        chunks = [
            *(chunk("he"), chunk("llo"), chunk(None, tool_calls=parts)),
            *(chunk(None, tool_calls=more), {"choices": [], "usage": USAGE}),
        ]
        stream = self.ask(Stream(chunks), stream=True)
        self.assertIsInstance(stream, Stream)
        self.assertEqual(stream.response, "raw")
        self.assertEqual(list(stream), chunks)
        sent = self.decision()
        self.assertIn('"content":"hello"', sent["output"])
        self.assertIn('"arguments":"{\\"a\\":1}"', sent["output"])
        self.assertEqual(sent["input_tokens"], 3)

    def test_a_stream_left_early_is_closed_and_logged_once(self) -> None:
        inner = Stream([chunk("a"), chunk("b")])
        with self.ask(inner, stream=True) as stream:
            next(stream)
        self.assertTrue(inner.is_closed)
        self.assertEqual(self.decision()["output"], "a")

    def test_a_discarded_stream_is_logged(self) -> None:
        stream = self.ask(Stream([chunk("a")]), stream=True)
        next(stream)
        del stream
        self.assertEqual(self.decision()["output"], "a")

    def test_several_choices_are_an_array(self) -> None:
        answer = completion("a")
        answer.choices.append(Shape(index=1, message=Shape(content="b"), finish_reason="stop"))
        self.ask(answer)
        self.assertEqual(self.decision()["output"], '["a","b"]')

    def test_raw_responses_are_not_observed(self) -> None:
        answer = object()
        headers = {"X-Stainless-Raw-Response": "true"}
        self.assertIs(self.ask(answer, extra_headers=headers), answer)
        self.assertEqual(self.decisions(), [])

    def test_wrapped_twice_is_logged_once(self) -> None:
        model = wrap_openai(self.client, wrap_openai(self.client, chat_client(completion("x"))))
        model.chat.completions.create(messages=MESSAGES)
        self.assertEqual(len(self.decisions()), 1)

    def test_a_response_of_unknown_shape_is_harmless(self) -> None:
        for answer in (None, 5, Shape(choices="?"), Shape(choices=[5])):
            self.assertIs(self.ask(answer), answer)

    def test_a_client_of_unknown_shape_causes_a_warning(self) -> None:
        lines = io.StringIO()
        nothing = object()
        with contextlib.redirect_stderr(lines):
            self.assertIs(wrap_openai(self.client, nothing), nothing)
        self.assertRegex(lines.getvalue(), "^sluice: wrap_openai: the client has neither")


class AsyncChatTest(ClientTestCase):
    def ask(self, answer: Any, **request: Any) -> Any:
        async def create(**_: Any) -> Any:
            if isinstance(answer, BaseException):
                raise answer
            return answer

        client = Shape(chat=Shape(completions=Shape(create=create)))
        model = wrap_openai(self.client, client)
        return model.chat.completions.create(messages=MESSAGES, **request)

    def test_a_response(self) -> None:
        answer = completion("hello")
        self.assertIs(asyncio.run(_wait_for(self.ask(answer))), answer)
        self.assertEqual(self.decision()["output"], "hello")

    def test_an_error(self) -> None:
        with self.assertRaises(KeyError):
            asyncio.run(_wait_for(self.ask(KeyError())))
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "KeyError")

    def test_a_stream(self) -> None:
        async def read() -> list[Any]:
            async with await self.ask(AsyncStream([chunk("a"), chunk("b")]), stream=True) as stream:
                return [item async for item in stream]

        self.assertEqual(asyncio.run(read()), [chunk("a"), chunk("b")])
        self.assertEqual(self.decision()["output"], "ab")

    def test_a_stream_that_breaks(self) -> None:
        async def read() -> None:
            async for _ in await self.ask(AsyncStream([chunk("a"), KeyError()]), stream=True):
                pass

        with self.assertRaises(KeyError):
            asyncio.run(read())
        sent = self.decision()
        self.assertEqual((sent["output"], sent["metadata"]["error"]["name"]), ("a", "KeyError"))


class ResponsesTest(ClientTestCase):
    def ask(self, answer: Any, **request: Any) -> Any:
        model = wrap_openai(self.client, Shape(responses=Resource(answer)))
        return model.responses.create(model="m", **request)

    response = {
        "id": "r1",
        "model": "m-1",
        "status": "completed",
        "output": [
            {"type": "reasoning", "content": [{"text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "hello"}]},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 5},
    }

    def test_a_response(self) -> None:
        self.ask(self.response, input="q", instructions="be brief")
        sent = self.decision()
        self.assertEqual(sent["input"], {"instructions": "be brief", "input": "q"})
        self.assertEqual(sent["output"], "hello")
        self.assertEqual((sent["input_tokens"], sent["output_tokens"]), (3, 5))
        self.assertEqual(sent["metadata"]["finish_reason"], "completed")

    def test_a_stream_to_its_end(self) -> None:
        events = [
            {"type": "response.output_text.delta", "delta": "hel"},
            {"type": "response.completed", "response": self.response},
        ]
        self.assertEqual(list(self.ask(Stream(events), input="q", stream=True)), events)
        sent = self.decision()
        self.assertEqual((sent["output"], sent["output_tokens"]), ("hello", 5))

    def test_a_stream_left_early(self) -> None:
        events = [
            {"type": "response.created", "response": {"model": "m-2", "output": []}},
            {"type": "response.output_text.delta", "delta": "hel"},
            {"type": "response.output_text.delta", "delta": "lo"},
        ]
        stream = self.ask(Stream(events), input="q", stream=True)
        next(stream), next(stream)
        stream.close()
        sent = self.decision()
        self.assertEqual((sent["output"], sent["metadata"]["model"]), ("hel", "m-2"))

    def test_a_tool_call(self) -> None:
        call = {"type": "function_call", "call_id": "t", "name": "look", "arguments": "{}"}
        self.ask({**self.response, "output": [call]}, input="q")
        expected = '{"content":"","tool_calls":[{"name":"look","arguments":"{}","id":"t"}]}'
        self.assertEqual(self.decision()["output"], expected)


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable


if __name__ == "__main__":
    unittest.main()
