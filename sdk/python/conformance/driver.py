"""Conformance driver: reads one JSON command per line and writes one JSON response per line."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Callable

from observe_call import observe_call
from redact import redact_of
from values import ABSENT, destroy, value_of

import sluice

Members = dict[str, Any]

IDS_MAX = 20_000
BEAT_SECONDS = 0.005
POLL_SECONDS = 0.05
READ_BYTES = 65_536


class HostError(Exception):
    """Raised to end the host with an exception."""


class Heartbeat:
    """Measures the maximum delay with which a sleeping thread of the host wakes up."""

    def __init__(self) -> None:
        self.most_ms = 0.0
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while True:
            began = time.perf_counter()
            time.sleep(BEAT_SECONDS)
            late = (time.perf_counter() - began - BEAT_SECONDS) * 1000
            self.most_ms = max(self.most_ms, late)


class Driver:
    def __init__(self) -> None:
        self.client: Any = None
        self.errors: list[Any] = []
        self.drops: list[Any] = []
        self.heart: Heartbeat | None = None
        self.commands: dict[str, Callable[[Members], Members]] = {
            "init": self.init,
            "log": self.log,
            "log_together": self.log_together,
            "observe": lambda command: observe_call(self.client, command),
            "flush": self.flush,
            "flush_and_log": self.flush_and_log,
            "flush_twice": self.flush_twice,
            "stats": lambda _: plain_of(self.client.stats()),
            "close": lambda _: timed(lambda: self.client.close() and None),
            "callbacks": lambda _: {"errors": self.errors, "drops": self.drops},
            "host": self.host,
            "host_reset": self.host_reset,
            "own_signal_handler": self.own_signal_handler,
        }

    def init(self, command: Members) -> Members:
        options = {name: value_of(value) for name, value in command["options"].items()}
        if "redact" in command:
            options["redact"] = redact_of(command["redact"])
        kind = command.get("callbacks")

        def on_error(error: Any, about: Any) -> None:
            seen = {**plain_of(about), "error": type(error).__name__, "text": str(error)}
            self.errors.append(seen)
            self.call_back(kind)

        def on_drop(about: Any) -> None:
            self.drops.append(plain_of(about))
            self.call_back(kind)

        self.client = sluice.init(on_error=on_error, on_drop=on_drop, **options)
        return {}

    def log(self, command: Members) -> Members:
        """Logs the decision ``times`` times. ``{n}`` in a string becomes the iteration number."""
        ids: list[str] = []
        most = 0.0
        unchanged = True
        for n in range(command.get("times", 1)):
            made = decision_of(command["decision"], n)
            before = json.dumps(made) if command.get("check_unchanged") else None
            with ExitStack() as contexts:
                for fields in command.get("context", ()):
                    contexts.enter_context(self.client.context(**fields))
                began = time.perf_counter()
                decision_id = self.client.log(**made)
                most = max(most, time.perf_counter() - began)
            if before is not None:
                unchanged = json.dumps(made) == before
            if len(ids) < IDS_MAX:
                ids.append(decision_id)
            if command.get("mutate_after"):
                destroy(made)
        return {"ids": ids, "ms_max": most * 1000, "unchanged": unchanged}

    def call_back(self, kind: str | None) -> None:
        """Simulates a host callback that raises or calls the client."""
        if kind == "throw":
            raise HostError("a callback of the host")
        if kind == "ask":
            self.client.stats()
            self.client.flush(timeout_ms=0)

    def log_together(self, command: Members) -> Members:
        with ThreadPoolExecutor(command["callers"]) as pool:
            all_of = [pool.submit(self.log, command) for _ in range(command["callers"])]
            return {"ids": [decision_id for each in all_of for decision_id in each.result()["ids"]]}

    def flush(self, command: Members) -> Members:
        options = {"timeout_ms": command["timeout_ms"]} if "timeout_ms" in command else {}
        return timed(lambda: plain_of(self.client.flush(**options)))

    def flush_and_log(self, command: Members) -> Members:
        """Logs one more decision during the flush."""
        with ThreadPoolExecutor(1) as pool:
            flushing = pool.submit(self.client.flush, timeout_ms=command["timeout_ms"])
            time.sleep(0.1)
            ids = [self.client.log(**decision_of(command["decision"], 0))]
            return {**plain_of(flushing.result()), "ids": ids}

    def flush_twice(self, _: Members) -> Members:
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(self.client.flush) for _ in range(2)]
            return {"results": [plain_of(each.result()) for each in both]}

    def host(self, _: Members) -> Members:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        delay = None if self.heart is None else self.heart.most_ms
        return {"delay_ms_max": delay, "rss_max_bytes": peak}

    def host_reset(self, _: Members) -> Members:
        self.heart = self.heart or Heartbeat()
        self.heart.most_ms = 0.0
        return {}

    def own_signal_handler(self, command: Members) -> Members:
        def handle(*_: Any) -> None:
            time.sleep(command["exit_after_ms"] / 1000)
            os._exit(7)

        signal.signal(getattr(signal, command["signal"]), handle)
        return {}


def decision_of(decision: Members, n: int) -> Members:
    made = {
        name: value.replace("{n}", str(n)) if isinstance(value, str) else value_of(value)
        for name, value in decision.items()
    }
    return {name: value for name, value in made.items() if value is not ABSENT}


def timed(work: Callable[[], Any]) -> Members:
    began = time.perf_counter()
    result = work() or {}
    return {**result, "ms": (time.perf_counter() - began) * 1000}


def plain_of(value: Any) -> Members:
    """Converts a mapping, a named tuple or an object with attributes to a dict."""
    if isinstance(value, dict):
        return dict(value)
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    return dict(vars(value))


def end(how: str) -> None:
    if how == "exit":
        sys.exit(3)
    if how == "exception":
        raise HostError("the host is at its end")


def lines() -> Iterator[bytes]:
    """Yields commands. Polls stdin, because a blocking read can delay Python's signal handlers."""
    waiting = b""
    while True:
        while b"\n" in waiting:
            line, waiting = waiting.split(b"\n", 1)
            yield line
        ready, _, _ = select.select([sys.stdin], [], [], POLL_SECONDS)
        if ready:
            read = os.read(sys.stdin.fileno(), READ_BYTES)
            if not read:
                return
            waiting += read


def main() -> None:
    driver = Driver()
    for line in lines():
        command = json.loads(line)
        if command["do"] == "end":
            end(command["how"])
            return
        try:
            answer = driver.commands[command["do"]](command)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
