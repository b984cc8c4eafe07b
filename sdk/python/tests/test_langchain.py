"""Tests the LangChain handler without LangChain; tests/libraries uses the library itself."""

from __future__ import annotations

import unittest
from types import SimpleNamespace as Shape
from typing import Any

from sluice.langchain import SluiceCallbackHandler
from support import ClientTestCase

TOLD = {"ls_model_name": "m", "ls_provider": "p", "thread_id": "t"}


def result(text: str, **message: Any) -> Any:
    usage = {"input_tokens": 3, "output_tokens": 5}
    reply = Shape(content=text, usage_metadata=usage, response_metadata={}, **message)
    return Shape(generations=[[Shape(text=text, message=reply)]], llm_output=None)


class ModelsTest(ClientTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.handler = SluiceCallbackHandler(self.client)

    def test_has_the_attributes_of_a_langchain_handler(self) -> None:
        flags = ("llm", "chat_model", "chain", "agent", "retriever", "retry", "custom_event")
        ignored = {name: getattr(self.handler, f"ignore_{name}") for name in flags}
        self.assertEqual([name for name in flags if not ignored[name]], ["llm", "chat_model"])
        self.assertIs(self.handler.raise_error, False)
        self.assertIs(self.handler.run_inline, True)

    def test_a_chat_model(self) -> None:
        messages = [[Shape(type="human", content="q"), Shape(type="ai", content="a")]]
        about = {"run_id": 1, "parent_run_id": 7, "metadata": TOLD, "name": "Chat", "tags": ["x"]}
        self.handler.on_chat_model_start({}, messages, **about)
        self.handler.on_llm_new_token("hel", run_id=1)
        self.handler.on_llm_end(result("hello"), run_id=1)
        sent = self.decision()
        roles = [{"role": "human", "content": "q"}, {"role": "ai", "content": "a"}]
        self.assertEqual((sent["input"], sent["output"]), (roles, "hello"))
        self.assertEqual((sent["input_tokens"], sent["output_tokens"]), (3, 5))
        self.assertEqual(sent["session_id"], "t")
        sent["metadata"].pop("latency_ms")
        about = {"name": "Chat", "tags": ["x"], "model": "m", "provider": "p"}
        self.assertEqual(sent["metadata"], about)

    def test_a_text_completion_model(self) -> None:
        self.handler.on_llm_start({}, ["q"], run_id=1)
        usage = {"token_usage": {"prompt_tokens": 3, "completion_tokens": 5}}
        self.handler.on_llm_end(Shape(generations=[[Shape(text="a")]], llm_output=usage), run_id=1)
        sent = self.decision()
        self.assertEqual((sent["input"], sent["output"], sent["input_tokens"]), ("q", "a", 3))

    def test_an_error(self) -> None:
        self.handler.on_llm_start({}, ["q"], run_id=1)
        self.handler.on_llm_error(KeyError("k"), run_id=1)
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "KeyError")

    def test_the_context_session_overrides_a_langgraph_thread(self) -> None:
        with self.client.context(session_id="mine"):
            self.handler.on_llm_start({}, ["q"], run_id=1, metadata=TOLD)
        self.handler.on_llm_end(result("a"), run_id=1)
        self.assertEqual(self.decision()["session_id"], "mine")

    def test_concurrent_runs_are_kept_apart(self) -> None:
        for run in range(5):
            self.handler.on_llm_start({}, [f"q{run}"], run_id=run)
        for run in reversed(range(5)):
            self.handler.on_llm_end(result(f"a{run}"), run_id=run)
        pairs = {decision["input"]: decision["output"] for decision in self.decisions()}
        self.assertEqual(pairs, {f"q{run}": f"a{run}" for run in range(5)})

    def test_an_end_without_a_start_is_ignored(self) -> None:
        self.handler.on_llm_end(result("a"), run_id=9)
        self.handler.on_llm_error(KeyError(), run_id=9)
        self.assertEqual(self.decisions(), [])

    def test_runs_that_never_end_are_dropped(self) -> None:
        for run in range(10_050):
            self.handler.on_llm_start({}, ["q"], run_id=run)
        self.assertEqual(len(self.handler._runs._runs), 10_000)

    def test_unexpected_arguments_are_ignored(self) -> None:
        self.handler.on_chat_model_start(None, None, run_id=1)
        self.handler.on_llm_end(None, run_id=1)


class RunsTest(ClientTestCase):
    def test_the_outermost_run_is_logged_with_all_its_tokens(self) -> None:
        handler = SluiceCallbackHandler(self.client, record="runs")
        self.assertFalse(handler.ignore_chain or handler.ignore_agent)
        handler.on_chain_start(None, {"question": "q"}, run_id=1, name="agent", metadata=TOLD)
        handler.on_chain_start(None, {}, run_id=2, parent_run_id=1)
        handler.on_tool_start(None, "x", run_id=3, parent_run_id=2)
        for run in (4, 5):
            handler.on_chat_model_start(None, [[]], run_id=run, parent_run_id=3)
            handler.on_llm_end(result("a"), run_id=run)
        handler.on_tool_end("y", run_id=3)
        handler.on_chain_end({}, run_id=2)
        handler.on_chain_end({"answer": Shape(type="ai", content="a")}, run_id=1)
        sent = self.decision()
        self.assertEqual(sent["input"], {"question": "q"})
        self.assertEqual(sent["output"], '{"answer":{"role":"ai","content":"a"}}')
        self.assertEqual((sent["input_tokens"], sent["output_tokens"]), (6, 10))
        self.assertEqual((sent["metadata"]["name"], sent["session_id"]), ("agent", "t"))

    def test_an_error_of_the_outermost_run(self) -> None:
        handler = SluiceCallbackHandler(self.client, record="runs")
        handler.on_chain_start(None, {}, run_id=1)
        handler.on_chain_start(None, {}, run_id=2, parent_run_id=1)
        handler.on_chain_error(KeyError(), run_id=2)
        handler.on_chain_error(KeyError(), run_id=1)
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "KeyError")

    def test_a_model_alone_is_a_run(self) -> None:
        handler = SluiceCallbackHandler(self.client, record="runs")
        handler.on_llm_start(None, ["q"], run_id=1)
        handler.on_llm_end(result("a"), run_id=1)
        self.assertEqual(self.decision()["output_tokens"], 5)


if __name__ == "__main__":
    unittest.main()
