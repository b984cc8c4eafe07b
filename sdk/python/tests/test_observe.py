"""Tests that observe logs each call and preserves the behaviour of the function."""

from __future__ import annotations

import contextlib
import inspect
import io
import unittest
from functools import partial
from typing import Any

import sluice
from support import ClientTestCase


class Broken(Exception):
    pass


class ObserveTest(ClientTestCase):
    def test_arguments_are_the_input_and_the_result_is_the_output(self) -> None:
        @self.client.observe(name="sum", domain="maths", metadata={"a": 1})
        def add(left: int, right: int = 2, *, bias: int = 0) -> dict[str, int]:
            """Adds."""
            return {"sum": left + right}

        self.assertEqual(add(1, right=5), {"sum": 6})
        self.assertEqual((add.__name__, add.__doc__), ("add", "Adds."))
        decision = self.decision()
        self.assertEqual(decision["input"], {"left": 1, "right": 5})
        self.assertEqual(decision["output"], '{"sum":6}')
        self.assertEqual(decision["domain"], "maths")
        latency_ms = decision["metadata"].pop("latency_ms")
        self.assertIsInstance(latency_ms, int)
        self.assertEqual(decision["metadata"], {"name": "sum", "a": 1})

    def test_variadic_arguments_are_logged_by_name(self) -> None:
        @self.client.observe
        def collect(first: int, *rest: int, **more: int) -> None: ...

        collect(1, 2, 3, last=4)
        expected = {"first": 1, "rest": [2, 3], "more": {"last": 4}}
        self.assertEqual(self.decision()["input"], expected)

    def test_the_input_is_a_snapshot_from_the_start_of_the_call(self) -> None:
        @self.client.observe
        def consume(words: list[str]) -> str:
            return words.pop()

        consume(["a", "b"])
        self.assertEqual(self.decision()["input"], {"words": ["a", "b"]})

    def test_none_is_the_text_null(self) -> None:
        self.client.observe(lambda: None)()
        self.assertEqual(self.decision()["output"], "null")

    def test_an_exception_passes_through_and_is_logged(self) -> None:
        error = Broken("so")

        @self.client.observe
        def fail() -> None:
            raise error

        with self.assertRaises(Broken) as caught:
            fail()
        self.assertIs(caught.exception, error)
        decision = self.decision()
        self.assertEqual(decision["output"], "")
        self.assertEqual(decision["metadata"]["error"], {"name": "Broken", "message": "so"})

    def test_exits_pass_through(self) -> None:
        for error in (SystemExit(3), KeyboardInterrupt()):
            with self.assertRaises(type(error)):
                self.client.observe(partial(_raise, error))()
        names = [decision["metadata"]["error"]["name"] for decision in self.decisions()]
        self.assertEqual(names, ["SystemExit", "KeyboardInterrupt"])

    def test_mapped_values_are_sent(self) -> None:
        @self.client.observe(
            map_input=lambda question, token: question, map_output=lambda answer: answer["text"]
        )
        def ask(question: str, token: str) -> dict[str, str]:
            return {"text": question.upper(), "secret": token}

        ask("hello", token="t")
        decision = self.decision()
        self.assertEqual((decision["input"], decision["output"]), ("hello", "HELLO"))

    def test_a_failing_mapping_neither_disturbs_nor_leaks(self) -> None:
        def fail(*_: Any) -> None:
            raise Broken("secret")

        ask = self.client.observe(map_input=fail, map_output=fail)(lambda secret: secret)
        self.assertEqual(ask("secret"), "secret")
        decision = self.decision()
        self.assertEqual(decision["input"], "[error: Broken]")
        self.assertEqual(decision["output"], "[error: Broken]")
        self.assertNotIn("secret", str(decision))

    def test_methods_of_all_kinds(self) -> None:
        observe = self.client.observe

        class Agent:
            @observe
            def method(self, question: str) -> str:
                return question

            @observe
            @classmethod
            def outer(cls, question: str) -> str:
                return cls.__name__

            @classmethod
            @observe
            def inner(cls, question: str) -> str:
                return cls.__name__

            @observe
            @staticmethod
            def static(question: str) -> str:
                return question

        agent = Agent()
        calls = (agent.method, Agent.outer, agent.inner, Agent.static)
        self.assertEqual([call("q") for call in calls], ["q", "Agent", "Agent", "q"])
        self.assertEqual([d["input"] for d in self.decisions()], [{"question": "q"}] * 4)

    def test_callables_that_are_not_functions(self) -> None:
        class Agent:
            def __call__(self, question: str) -> str:
                return question

        self.assertEqual(self.client.observe(Agent())("q"), "q")
        self.assertEqual(self.client.observe(partial(Agent(), "q"))(), "q")
        self.assertEqual(self.client.observe(max)(1, 2), 2)
        inputs = [decision["input"] for decision in self.decisions()]
        self.assertEqual(inputs, [{"question": "q"}, {}, {"args": [1, 2], "kwargs": {}}])

    def test_a_class_is_returned_unchanged_with_a_warning(self) -> None:
        lines = io.StringIO()
        with contextlib.redirect_stderr(lines):
            self.assertIs(self.client.observe(Broken), Broken)
        self.assertRegex(lines.getvalue(), "^sluice: observe wraps functions, not classes")

    def test_wrong_arguments_raise_as_before(self) -> None:
        @self.client.observe
        def ask(question: str) -> str:
            return question

        with self.assertRaisesRegex(TypeError, "missing 1 required positional argument"):
            ask()  # type: ignore[call-arg]

    def test_logs_in_the_context_of_the_call(self) -> None:
        ask = self.client.observe(domain="own")(lambda: "x")
        with self.client.context(session_id="s", domain="outer"):
            ask()
        decision = self.decision()
        self.assertEqual((decision["session_id"], decision["domain"]), ("s", "own"))

    def test_nested_calls_are_separate_decisions(self) -> None:
        inner = self.client.observe(name="inner")(lambda: "in")
        outer = self.client.observe(name="outer")(lambda: inner() + "out")
        outer()
        self.assertEqual([d["output"] for d in self.decisions()], ["in", "inout"])

    def test_the_kind_of_a_function_is_kept(self) -> None:
        def plain() -> None: ...
        async def coroutine() -> None: ...
        def generator() -> Any:
            yield

        async def async_generator() -> Any:
            yield

        for function in (plain, coroutine, generator, async_generator):
            observed = self.client.observe(function)
            for kind in ("iscoroutinefunction", "isgeneratorfunction", "isasyncgenfunction"):
                is_kind = getattr(inspect, kind)
                self.assertEqual(is_kind(observed), is_kind(function), (function, kind))
            self.assertEqual(inspect.signature(observed), inspect.signature(function))

    def test_the_module_function_uses_the_latest_client(self) -> None:
        @sluice.observe
        def ask(question: str) -> str:
            return question

        ask("q")
        self.assertEqual(self.decision()["output"], "q")


def _raise(error: BaseException) -> None:
    raise error


if __name__ == "__main__":
    unittest.main()
