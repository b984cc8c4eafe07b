"""Tests observe with coroutines, generators and async generators."""

from __future__ import annotations

import asyncio
import contextlib
import unittest
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Generator, Iterator
from typing import Any

from support import ClientTestCase


class Broken(Exception):
    pass


class ObserveStreamsTest(ClientTestCase):
    def test_a_coroutine_is_logged_when_it_ends(self) -> None:
        @self.client.observe
        async def ask(question: str) -> str:
            await asyncio.sleep(0)
            return question.upper()

        self.assertEqual(asyncio.run(ask("q")), "Q")
        self.assertEqual(self.decision()["output"], "Q")

    def test_a_cancelled_coroutine_is_logged_as_cancelled(self) -> None:
        @self.client.observe
        async def ask() -> None:
            await asyncio.sleep(60)

        async def cancel() -> None:
            task = asyncio.create_task(ask())
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            self.assertTrue(task.cancelled())

        asyncio.run(cancel())
        self.assertEqual(self.decision()["metadata"]["error"]["name"], "CancelledError")

    def test_def_that_returns_an_awaitable(self) -> None:
        async def answer() -> str:
            return "x"

        @self.client.observe
        def coroutine() -> Awaitable[str]:
            return answer()

        @self.client.observe
        def task() -> Awaitable[str]:
            return asyncio.ensure_future(answer())

        async def both() -> tuple[str, str]:
            return await coroutine(), await task()

        self.assertEqual(asyncio.run(both()), ("x", "x"))
        self.assertEqual([d["output"] for d in self.decisions()], ["x", "x"])

    def test_a_generator_is_joined_and_receives_sent_values(self) -> None:
        @self.client.observe
        def talk() -> Generator[str, str, int]:
            try:
                received = yield "a"
                yield received
            except Broken:
                yield "caught"
            return 7

        def outer() -> Iterator[Any]:
            result = yield from talk()
            yield result

        talking = talk()
        self.assertEqual((next(talking), talking.send("b")), ("a", "b"))
        self.assertEqual(talking.throw(Broken()), "caught")
        with self.assertRaises(StopIteration) as stop:
            next(talking)
        self.assertEqual(stop.exception.value, 7)
        self.assertEqual(list(outer()), ["a", None, 7])
        outputs = [decision["output"] for decision in self.decisions()]
        self.assertEqual(outputs, ["abcaught", '["a",null]'])

    def test_a_generator_that_is_left_early_is_closed_and_logged(self) -> None:
        closed = []

        @self.client.observe
        def words() -> Iterator[str]:
            try:
                yield "a"
                yield "b"
            finally:
                closed.append(True)

        for _ in words():
            break
        self.assertEqual(closed, [True])
        decision = self.decision()
        self.assertEqual(decision["output"], "a")
        self.assertNotIn("error", decision["metadata"])

    def test_a_failing_generator_keeps_its_items(self) -> None:
        @self.client.observe
        def words() -> Iterator[str]:
            yield "a"
            raise Broken

        with self.assertRaises(Broken):
            list(words())
        decision = self.decision()
        self.assertEqual(decision["output"], "a")
        self.assertEqual(decision["metadata"]["error"]["name"], "Broken")

    def test_items_are_snapshots(self) -> None:
        item: dict[str, Any] = {}

        @self.client.observe
        def items() -> Iterator[dict[str, Any]]:
            for number in range(2):
                item["n"] = number
                yield item
            yield {"odd": {float("nan")}}

        list(items())
        decision = self.decision()
        self.assertEqual(decision["output"], '[{"n":0},{"n":1},{"odd":["NaN"]}]')
        self.assertEqual(decision["metadata"]["sdk_changes"], ["/output/2/odd/0: not_finite"])

    def test_bytes_are_text(self) -> None:
        @self.client.observe
        def parts() -> Iterator[bytes]:
            data = "häh".encode()
            yield data[:2]
            yield data[2:]

        list(parts())
        self.assertEqual(self.decision()["output"], "häh")

    def test_map_output_receives_the_original_items(self) -> None:
        @self.client.observe(map_output=lambda items: items[-1]["n"])
        def items() -> Iterator[dict[str, int]]:
            yield {"n": 1}
            yield {"n": 2}

        list(items())
        self.assertEqual(self.decision()["output"], "2")

    def test_an_endless_generator_takes_limited_memory(self) -> None:
        @self.client.observe
        def words() -> Iterator[str]:
            while True:
                yield "x" * 1024

        endless = words()
        for _ in range(10_000):
            next(endless)
        endless.close()
        self.assertEqual(self.dropped(), {"too_large": 1})

    def test_def_that_returns_a_generator(self) -> None:
        observed = self.client.observe(lambda: (letter for letter in "abc"))
        self.assertEqual(list(observed()), ["a", "b", "c"])
        self.assertEqual(self.decision()["output"], "abc")


class ObserveAsyncStreamsTest(ClientTestCase):
    def test_an_async_generator_is_joined_and_receives_sent_values(self) -> None:
        @self.client.observe
        async def talk() -> AsyncGenerator[str, str]:
            try:
                received = yield "a"
                yield received
            except Broken:
                yield "caught"

        async def converse() -> None:
            talking = talk()
            self.assertEqual(await talking.__anext__(), "a")
            self.assertEqual(await talking.asend("b"), "b")
            self.assertEqual(await talking.athrow(Broken()), "caught")
            self.assertEqual([item async for item in talking], [])

        asyncio.run(converse())
        self.assertEqual(self.decision()["output"], "abcaught")

    def test_an_async_generator_that_is_left_early_is_closed_and_logged(self) -> None:
        closed = []

        @self.client.observe
        async def words() -> AsyncIterator[str]:
            try:
                yield "a"
                yield "b"
            finally:
                await asyncio.sleep(0)
                closed.append(True)

        async def leave() -> None:
            async for _ in words():
                break
            # The loop closes the generator in a separate task.
            await asyncio.sleep(0.05)

        asyncio.run(leave())
        self.assertEqual(closed, [True])
        self.assertEqual(self.decision()["output"], "a")

    def test_a_failing_async_generator_keeps_its_items(self) -> None:
        @self.client.observe
        async def words() -> AsyncIterator[str]:
            yield "a"
            raise Broken

        async def read() -> None:
            with self.assertRaises(Broken):
                async for _ in words():
                    pass

        asyncio.run(read())
        decision = self.decision()
        self.assertEqual(decision["output"], "a")
        self.assertEqual(decision["metadata"]["error"]["name"], "Broken")

    def test_a_coroutine_that_returns_an_async_generator(self) -> None:
        async def words() -> AsyncIterator[str]:
            yield "a"
            yield "b"

        @self.client.observe
        async def ask() -> AsyncIterator[str]:
            return words()

        async def read() -> list[str]:
            return [word async for word in await ask()]

        self.assertEqual(asyncio.run(read()), ["a", "b"])
        self.assertEqual(self.decision()["output"], "ab")


if __name__ == "__main__":
    unittest.main()
