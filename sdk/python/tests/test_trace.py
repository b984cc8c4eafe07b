"""Tests trace: a decision whose fields are set step by step."""

from __future__ import annotations

import asyncio
import unittest

import sluice
from support import ClientTestCase


class TraceTest(ClientTestCase):
    def test_fields_are_logged_when_the_block_ends(self) -> None:
        question = {"q": "a"}
        with self.client.trace(name="n", domain="d", metadata={"a": 1, "b": 1}) as decision:
            decision.set_input(question)
            question["q"] = "changed"
            decision.set_metadata({"b": 2})
            decision.set_output("first")
            decision.set_output({"answer": 42})
            decision.set_tokens(input=3, output=5)
            self.assertEqual(self.client.stats().logged, 0)
        sent = self.decision()
        self.assertEqual(sent["decision_id"], decision.decision_id)
        self.assertEqual(sent["input"], {"q": "a"})
        self.assertEqual(sent["output"], '{"answer":42}')
        self.assertEqual((sent["input_tokens"], sent["output_tokens"]), (3, 5))
        self.assertEqual((sent["domain"], sent["agent_id"]), ("d", "default"))
        self.assertIsInstance(sent["metadata"].pop("latency_ms"), int)
        self.assertEqual(sent["metadata"], {"name": "n", "a": 1, "b": 2})

    def test_an_exception_passes_through_and_is_logged(self) -> None:
        with self.assertRaises(KeyError), self.client.trace() as decision:
            decision.set_input(None)
            raise KeyError("k")
        sent = self.decision()
        self.assertEqual((sent["input"], sent["output"]), (None, ""))
        self.assertEqual(sent["metadata"]["error"]["name"], "KeyError")

    def test_a_block_without_output_is_dropped_as_invalid(self) -> None:
        with self.client.trace() as decision:
            decision.set_input("x")
        self.assertEqual(self.dropped(), {"invalid": 1})

    def test_logs_in_the_context_in_which_it_began(self) -> None:
        async def work() -> None:
            with self.client.context(session_id="s"), sluice.trace() as decision:
                decision.set_input("x")
                await asyncio.sleep(0)
                decision.set_output("y")

        asyncio.run(work())
        self.assertEqual(self.decision()["session_id"], "s")


if __name__ == "__main__":
    unittest.main()
