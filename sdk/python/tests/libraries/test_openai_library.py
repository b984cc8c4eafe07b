"""Tests wrap_openai with the library `openai` itself, against a fake server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))

import openai

from sluice import wrap_openai
from support import ClientTestCase

MESSAGES: Any = [{"role": "user", "content": "q"}]
HEAD = {"id": "c1", "created": 1, "model": "m-1"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}


def completion(stream: bool) -> list[dict[str, Any]]:
    if not stream:
        message = {"role": "assistant", "content": "hello"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return [{**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}]
    chunks = [
        {**HEAD, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        for delta in ({"role": "assistant", "content": ""}, {"content": "hel"}, {"content": "lo"})
    ]
    return [*chunks, {**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE}]


def response(stream: bool) -> list[dict[str, Any]]:
    part = {"type": "output_text", "text": "hello", "annotations": []}
    about = {"type": "message", "id": "i", "role": "assistant", "status": "completed"}
    usage = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
    whole = {
        **{"id": "r1", "object": "response", "created_at": 1, "model": "m-1"},
        **{"status": "completed", "output": [{**about, "content": [part]}], "usage": usage},
        **{"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    }
    if not stream:
        return [whole]
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    place = {"item_id": "i", "output_index": 0, "content_index": 0}
    added = {"type": "response.output_item.added", "output_index": 0, "sequence_number": 1}
    opened = {**place, "type": "response.content_part.added", "sequence_number": 1}
    beginning = [
        {"type": "response.created", "response": begun, "sequence_number": 0},
        {**added, "item": {**about, "status": "in_progress", "content": []}},
        {**opened, "part": {**part, "text": ""}},
    ]
    deltas = [
        {"type": "response.output_text.delta", "delta": text, "sequence_number": 1, **place}
        for text in ("hel", "lo")
    ]
    return [
        *beginning,
        *deltas,
        {"type": "response.completed", "response": whole, "sequence_number": 3},
    ]


class Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_stream = request.get("stream") is True
        answer = completion if "chat" in self.path else response
        self.send_response(400 if request["model"] == "none" else 200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.end_headers()
        for item in answer(is_stream):
            text = json.dumps(item)
            event = f"event: {item['type']}\n" if "type" in item else ""
            self.wfile.write((f"{event}data: {text}\n\n" if is_stream else text).encode())
        if is_stream and "chat" in self.path:
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


class OpenAITest(ClientTestCase):
    def setUp(self) -> None:
        super().setUp()
        server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        options: Any = {"base_url": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "none"}
        self.model = wrap_openai(self.client, openai.OpenAI(**options, max_retries=0))
        self.async_model = wrap_openai(self.client, openai.AsyncOpenAI(**options, max_retries=0))

    def expect(self, *, input: Any, tokens: bool = True) -> None:
        sent = self.decision()
        self.assertEqual((sent["input"], sent["output"]), (input, "hello"))
        self.assertEqual(sent.get("output_tokens"), 5 if tokens else None)
        self.assertEqual(sent["metadata"]["model"], "m-1")

    def test_chat(self) -> None:
        answer = self.model.chat.completions.create(model="m", messages=MESSAGES)
        self.assertEqual(answer.choices[0].message.content, "hello")
        self.expect(input=MESSAGES)

    def test_chat_stream(self) -> None:
        stream = self.model.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        self.assertIsInstance(stream, openai.Stream)
        with stream:
            texts = [chunk.choices[0].delta.content for chunk in stream if chunk.choices]
        self.assertEqual("".join(text or "" for text in texts), "hello")
        self.expect(input=MESSAGES)

    def test_chat_stream_helper(self) -> None:
        with self.model.chat.completions.stream(model="m", messages=MESSAGES) as stream:
            events = list(stream)
        self.assertTrue(events)
        self.expect(input=MESSAGES)

    def test_chat_parse(self) -> None:
        self.model.chat.completions.parse(model="m", messages=MESSAGES)
        self.expect(input=MESSAGES)

    def test_responses(self) -> None:
        answer = self.model.responses.create(model="m", input="q")
        self.assertEqual(answer.output_text, "hello")
        self.expect(input="q")

    def test_responses_stream(self) -> None:
        for _ in self.model.responses.create(model="m", input="q", stream=True):
            pass
        self.expect(input="q")

    def test_responses_stream_helper(self) -> None:
        with self.model.responses.stream(model="m", input="q") as stream:
            self.assertTrue(list(stream))
        self.expect(input="q")

    def test_raw_response(self) -> None:
        raw = self.model.chat.completions.with_raw_response.create(model="m", messages=MESSAGES)
        self.assertEqual(raw.parse().choices[0].message.content, "hello")
        self.assertEqual(self.decisions(), [])

    def test_a_refusal(self) -> None:
        with self.assertRaises(openai.BadRequestError):
            self.model.chat.completions.create(model="none", messages=MESSAGES)
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "BadRequestError")

    def test_async(self) -> None:
        async def ask() -> None:
            await self.async_model.chat.completions.create(model="m", messages=MESSAGES)
            await self.async_model.responses.create(model="m", input="q")

        asyncio.run(ask())
        self.assertEqual([sent["output"] for sent in self.decisions()], ["hello", "hello"])

    def test_async_streams(self) -> None:
        async def ask() -> None:
            ask_chat = self.async_model.chat.completions.create
            stream = await ask_chat(model="m", messages=MESSAGES, stream=True)
            self.assertIsInstance(stream, openai.AsyncStream)
            async with stream:
                async for _ in stream:
                    pass
            helper = self.async_model.chat.completions.stream(model="m", messages=MESSAGES)
            async with helper as events:
                async for _ in events:
                    pass

        asyncio.run(ask())
        self.assertEqual([sent["output"] for sent in self.decisions()], ["hello", "hello"])


if __name__ == "__main__":
    unittest.main()
