"""Tests the handler with `langchain_core` itself and with models that need no network."""

from __future__ import annotations

import asyncio
import os
import sys
import unittest
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.language_models.llms import LLM
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate

from sluice.langchain import SluiceCallbackHandler
from support import ClientTestCase


def fake_model(*answers: str, **options: Any) -> GenericFakeChatModel:
    usage: Any = {"input_tokens": 3, "output_tokens": 5, "total_tokens": 8}
    messages = [AIMessage(answer, usage_metadata=usage) for answer in answers]
    return GenericFakeChatModel(messages=iter(messages), **options)


class Repeating(LLM):
    """Completes a text by repeating it."""

    @property
    def _llm_type(self) -> str:
        return "repeating"

    def _call(self, prompt: str, *_: Any, **__: Any) -> str:
        if prompt == "fail":
            raise KeyError(prompt)
        return prompt


class LangChainTest(ClientTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.handler = SluiceCallbackHandler(self.client)
        self.config: Any = {"callbacks": [self.handler]}

    def test_passes_the_type_check_of_models(self) -> None:
        self.assertIsInstance(self.handler, BaseCallbackHandler)
        fake_model("a", callbacks=[self.handler]).invoke("q")
        self.assertEqual(self.decision()["output"], "a")

    def test_a_chat_model(self) -> None:
        with self.assertNoLogs("langchain_core.callbacks.manager"):
            fake_model("hello there").invoke("q", self.config)
        sent = self.decision()
        self.assertEqual(sent["input"], [{"role": "human", "content": "q"}])
        self.assertEqual((sent["output"], sent["output_tokens"]), ("hello there", 5))

    def test_a_stream(self) -> None:
        self.assertGreater(len(list(fake_model("hello there").stream("q", self.config))), 1)
        self.assertEqual(self.decision()["output"], "hello there")

    def test_async(self) -> None:
        async def ask() -> None:
            with self.client.context(session_id="s"):
                await fake_model("hello").ainvoke("q", self.config)

        asyncio.run(ask())
        self.assertEqual(self.decision()["session_id"], "s")

    def test_text(self) -> None:
        Repeating().batch(["a", "b"], self.config)
        pairs = sorted((sent["input"], sent["output"]) for sent in self.decisions())
        self.assertEqual(pairs, [("a", "a"), ("b", "b")])

    def test_an_error(self) -> None:
        with self.assertRaises(KeyError):
            Repeating().invoke("fail", self.config)
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "KeyError")

    def test_a_chain_as_one_run(self) -> None:
        handler = SluiceCallbackHandler(self.client, record="runs")
        chain = ChatPromptTemplate.from_messages([("human", "{q}")]) | fake_model("a")
        config: Any = {"callbacks": [handler], "metadata": {"session_id": "t"}}
        with self.assertNoLogs("langchain_core.callbacks.manager"):
            chain.invoke({"q": "x"}, config)
        sent = self.decision()
        self.assertEqual(sent["input"], {"q": "x"})
        self.assertEqual(sent["output"], '{"role":"ai","content":"a"}')
        self.assertEqual((sent["input_tokens"], sent["session_id"]), (3, "t"))


if __name__ == "__main__":
    unittest.main()
