"""Tests the context: fields shared by the decisions of a `with` block."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import unittest
from collections.abc import Iterator

from sluice._context import context, current_fields
from support import ClientTestCase


class ContextTest(ClientTestCase):
    def test_inner_overrides_outer_and_both_override_options(self) -> None:
        with self.client.context(agent_id="outer", session_id="s", metadata={"a": 1, "b": 1}):
            with self.client.context(agent_id="inner", metadata={"b": 2}):
                self.client.log(input=1, output="in", metadata={"c": 3})
            self.client.log(input=1, output="out", agent_id="own")
        self.client.log(input=1, output="none")
        within, around, outside = self.decisions()
        self.assertEqual((within["agent_id"], within["session_id"]), ("inner", "s"))
        self.assertEqual(within["metadata"], {"a": 1, "b": 2, "c": 3})
        self.assertEqual(around["agent_id"], "own")
        self.assertEqual(around["metadata"], {"a": 1, "b": 1})
        self.assertEqual(outside["agent_id"], "default")
        self.assertNotIn("session_id", outside)

    def test_metadata_is_copied_when_the_block_starts(self) -> None:
        metadata = {"a": 1}
        with self.client.context(metadata=metadata):
            metadata["a"] = 2
            self.client.log(input=1, output="x")
        self.assertEqual(self.decision()["metadata"], {"a": 1})

    def test_ends_with_its_block_even_after_an_exception(self) -> None:
        with self.assertRaises(KeyError), self.client.context(agent_id="x"):
            raise KeyError
        self.assertEqual(current_fields(), {})

    def test_one_context_can_be_nested_in_itself(self) -> None:
        block = context(agent_id="x")
        with block, block:
            pass
        self.assertEqual(current_fields(), {})

    def test_tasks_do_not_share_a_context(self) -> None:
        async def task(name: str) -> None:
            with self.client.context(session_id=name):
                await asyncio.sleep(0.01)
                self.client.log(input=1, output=name)

        async def both() -> None:
            with self.client.context(domain="all"):
                await asyncio.gather(*(task(str(number)) for number in range(20)))

        asyncio.run(both())
        for decision in self.decisions():
            self.assertEqual(decision["session_id"], decision["output"])
            self.assertEqual(decision["domain"], "all")

    def test_a_thread_starts_without_context_unless_given_a_copy(self) -> None:
        def work(output: str) -> None:
            self.client.log(input=1, output=output)

        with self.client.context(session_id="s"):
            copied = contextvars.copy_context().run
            given = threading.Thread(target=copied, args=(work, "copied"))
            bare = contextvars.Context().run
            threads = [given, threading.Thread(target=bare, args=(work, "bare"))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        sessions = {d["output"]: d.get("session_id") for d in self.decisions()}
        self.assertEqual(sessions, {"copied": "s", "bare": None})

    def test_a_generator_closed_in_another_context_does_not_fail(self) -> None:
        def generate() -> Iterator[int]:
            with context(agent_id="x"):
                yield 1

        generator = generate()
        contextvars.copy_context().run(next, generator)
        generator.close()

    def test_metadata_that_is_not_a_mapping_is_ignored(self) -> None:
        with self.client.context(metadata=["no"]):  # type: ignore[arg-type]
            self.client.log(input=1, output="x")
        self.assertNotIn("metadata", self.decision())


if __name__ == "__main__":
    unittest.main()
