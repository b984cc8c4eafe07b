"""Tests the client against a gateway that follows a script."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any

import sluice
from scripted import Peer, ScriptedGateway, judge, refuse, take

QUICK: dict[str, Any] = {
    "api_key": "slk_test_x",
    "batch_interval_ms": 600_000,
    "retry_base_ms": 20,
    "retry_cap_ms": 50,
    "breaker_ms": 200,
}
AGAIN = {"queued": False, "retryable": True}
NEVER = {"queued": False, "retryable": False}


class ScriptedTestCase(unittest.TestCase):
    def scene(self, *script: Any, **options: Any) -> tuple[ScriptedGateway, sluice.Client]:
        gateway = ScriptedGateway(*script)
        self.addCleanup(gateway.close)
        client = sluice.Client(**{**QUICK, "base_url": gateway.url, **options})
        self.addCleanup(client.close)
        return gateway, client

    def dropped(self, client: sluice.Client) -> dict[str, int]:
        stats = client.stats()
        sums = stats.sent + sum(stats.dropped.values()) + stats.sampled_out + stats.pending
        self.assertEqual(sums, stats.logged)
        return {reason: count for reason, count in stats.dropped.items() if count}


def log(client: sluice.Client, *outputs: str, **fields: Any) -> list[str]:
    return [client.log(**{"input": 1, "output": output, **fields}) for output in outputs]


class SendingTest(ScriptedTestCase):
    def test_a_batch_and_its_headers(self) -> None:
        gateway, client = self.scene(gzip_over_bytes=0)
        ids = log(client, "a", "b", agent_id="x")
        self.assertEqual(client.flush(), sluice.FlushResult(2, 0, 0, 0))
        [seen] = gateway.seen
        self.assertEqual([each["decision_id"] for each in gateway.decisions()], ids)
        self.assertEqual(seen.headers["authorization"], "Bearer slk_test_x")
        self.assertEqual(seen.headers["x-sluice-sdk"], "python/0.1.0")
        self.assertEqual(seen.headers["x-attempt"], "1")
        self.assertEqual(seen.headers["content-encoding"], "gzip")

    def test_sends_by_count_by_time_and_immediately(self) -> None:
        for options in (
            {"batch_max_items": 2},
            {"batch_interval_ms": 50},
            {"mode": "immediate"},
            {"batch_max_bytes": 1024},
        ):
            gateway, client = self.scene(**options)
            log(client, "a" * 500, "b" * 500)
            self.wait_until(lambda client=client: client.stats().sent > 0)

    def wait_until(self, is_so: Any) -> None:
        deadline = time.monotonic() + 10
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_a_failed_batch_is_retried_with_the_same_id(self) -> None:
        gateway, client = self.scene(refuse(503), lambda peer: peer.reset(), refuse(429))
        log(client, "a", "b")
        self.assertEqual(client.flush(10_000).sent, 2)
        self.assertEqual(len({seen.headers["x-batch-id"] for seen in gateway.seen}), 1)
        attempts = [seen.headers["x-attempt"] for seen in gateway.seen]
        self.assertEqual(attempts, ["1", "2", "3", "4"])
        stats = client.stats()
        self.assertEqual((stats.requests, stats.retried, stats.last_error), (4, 6, "429 some_code"))

    def test_only_retryable_decisions_are_retried(self) -> None:
        gateway, client = self.scene(judge({"queued": True}, AGAIN, NEVER))
        log(client, "a", "b", "c")
        self.assertEqual(client.flush(10_000), sluice.FlushResult(2, 1, 0, 0))
        self.assertEqual(gateway.outputs()[:2], [["a", "b", "c"], ["b"]])
        self.assertEqual(self.dropped(client), {"refused": 1})

    def test_retry_after_is_a_minimum(self) -> None:
        gateway, client = self.scene(refuse(429, "Retry-After: 1"))
        log(client, "a")
        self.assertEqual(client.flush(10_000).sent, 1)
        first, second = gateway.seen
        self.assertGreaterEqual(second.at - first.at, 0.99)

    def test_a_batch_that_is_too_large_is_halved(self) -> None:
        def picky(peer: Peer) -> None:
            outputs = [each["output"] for each in peer.seen.body.get("decisions", [])]
            refuse(413)(peer) if len(outputs) > 2 or "bad" in outputs else take(peer)

        gateway, client = self.scene(batch_max_items=8)
        gateway.otherwise = picky
        log(client, "0", "1", "2", "bad", "4", "5", "6", "7")
        self.assertEqual(client.flush(10_000), sluice.FlushResult(7, 1, 0, 0))
        self.assertEqual(self.dropped(client), {"too_large": 1})

    def test_the_breaker_keeps_decisions_until_the_budget_ends(self) -> None:
        gateway, client = self.scene(refuse(401), refuse(403))
        log(client, "a")
        self.assertEqual(client.flush(10_000).sent, 1)
        gaps = [later.at - one.at for one, later in zip(gateway.seen, gateway.seen[1:])]
        self.assertTrue(all(gap > 0.19 for gap in gaps), gaps)
        gateway, client = self.scene(refuse(401), refuse(401), retry_max_attempts=2)
        log(client, "a")
        self.assertEqual(client.flush(10_000), sluice.FlushResult(0, 1, 0, 0))
        self.assertEqual(self.dropped(client), {"unauthorized": 1})

    def test_an_open_breaker_does_not_delay_a_flush(self) -> None:
        gateway, client = self.scene(refuse(401), breaker_ms=60_000, shutdown_ms=100)
        log(client, "a")
        began = time.monotonic()
        self.assertEqual(client.flush(20_000).pending, 1)
        self.assertLess(time.monotonic() - began, 10)

    def test_attempts_and_the_budget_end(self) -> None:
        for options in ({"retry_max_attempts": 3}, {"retry_budget_ms": 1}):
            gateway, client = self.scene(**options)
            gateway.otherwise = refuse(503)
            log(client, "a")
            self.assertEqual(client.flush(10_000), sluice.FlushResult(0, 1, 0, 0))
            self.assertEqual(self.dropped(client), {"retries_exhausted": 1})

    def test_drops_are_reported_once(self) -> None:
        gateway, client = self.scene(refuse(503), queue_max_items=2, agent_id="a")
        log(client, "1", "2", "3")
        client.log(output="no input")  # type: ignore[call-arg]
        self.assertEqual(client.flush(10_000).sent, 2)
        reports = gateway.reports()
        expected = {"dropped": {"queue_full": 1, "invalid": 1}, "agent_id": "a"}
        self.assertEqual(reports, [expected, expected])
        log(client, "x" * 2_000_000)
        client.flush()
        self.assertEqual(gateway.reports()[2:], [{"dropped": {"too_large": 1}, "agent_id": "a"}])


class TakingTest(ScriptedTestCase):
    def test_any_value_is_logged_without_an_exception(self) -> None:
        gateway, client = self.scene()
        strange: list[Any] = [object(), float("nan"), b"\xff", "\ud800", [], {}, 10**400, -1, len]
        names = sorted(sluice._decision.FIELDS)
        for name in names:
            for value in strange:
                self.assertEqual(len(client.log(**{"input": 1, "output": "x", name: value})), 36)
        client.log()  # type: ignore[call-arg]
        client.log("a", "b")  # type: ignore[call-arg, arg-type]
        client.log(input=1, output="x", outptu="y")  # type: ignore[call-arg]
        result = client.flush(10_000)
        self.assertEqual((result.failed, result.pending), (0, 0))
        self.assertEqual(self.dropped(client), {"invalid": 2})

    def test_the_caller_id_is_kept_in_lower_case(self) -> None:
        gateway, client = self.scene()
        own = "0198F3A1-7C2E-4B11-8A5D-4E0F6B9C2D17"
        self.assertEqual(client.log(input=1, output="a", decision_id=own), own.lower())
        self.assertNotEqual(client.log(input=1, output="a", decision_id="mine"), "mine")

    def test_own_fields_override_the_context_and_that_the_options(self) -> None:
        gateway, client = self.scene(agent_id="option", domain="option")
        with sluice.context(agent_id="context", session_id="s", metadata={"a": 1, "b": 1}):
            log(client, "a", metadata={"b": 2})
            log(client, "b", agent_id="own")
        client.flush()
        first, second = gateway.decisions()
        self.assertEqual((first["agent_id"], first["domain"]), ("context", "option"))
        self.assertEqual((first["session_id"], first["metadata"]), ("s", {"a": 1, "b": 2}))
        self.assertEqual(second["agent_id"], "own")

    def test_every_decision_passes_redact(self) -> None:
        def redact(decision: dict[str, Any]) -> Any:
            if decision["output"] == "secret":
                return None
            if decision["output"] == "raise":
                raise ValueError("secret")
            if decision["output"] == "true":
                return True
            decision["input"]["card"] = "***"
            decision["decision_id"] = "other"
            return decision

        calls: list[Any] = []
        given = {"card": "4111", "when": {1}}
        gateway, client = self.scene(
            redact=redact, on_error=lambda error, about: calls.append(f"{error} {about}")
        )
        [kept] = log(client, "ok", input=given)
        log(client, "secret", "raise", "true", input=given)
        client.flush()
        client.close()
        [decision] = gateway.decisions()
        self.assertEqual(decision["input"], {"card": "***", "when": [1]})
        self.assertEqual((decision["decision_id"], given["card"]), (kept, "4111"))
        self.assertEqual(self.dropped(client), {"redacted": 1, "redact_error": 2})
        self.assertIn("redact", calls[0])
        self.assertNotIn("secret", str(calls))

    def test_sampling_keeps_sessions_whole(self) -> None:
        gateway, client = self.scene(sample_rate=0.5)
        for n in range(40):
            log(client, "a", "b", session_id=f"s{n % 20}")
        client.flush()
        counts: dict[str, int] = {}
        for each in gateway.decisions():
            counts[each["session_id"]] = counts.get(each["session_id"], 0) + 1
        self.assertEqual(set(counts.values()), {4})
        self.assertEqual(client.stats().sampled_out, 80 - client.stats().sent)
        self.dropped(client)

    def test_without_a_key_nothing_happens(self) -> None:
        client = sluice.Client(base_url="http://127.0.0.1:9")
        self.assertEqual(len(client.log(input=1, output="a")), 36)
        self.assertEqual(client.flush(), sluice.FlushResult(0, 0, 0, 0))
        self.assertEqual(client.stats().logged, 0)
        client.close()


class EndingTest(ScriptedTestCase):
    def test_close_drops_what_is_left_and_later_decisions(self) -> None:
        gateway, client = self.scene(lambda _: time.sleep(5), shutdown_ms=100)
        log(client, "a", "b")
        client.close()
        client.close()
        log(client, "c")
        self.assertEqual(self.dropped(client), {"shutdown": 3})

    def test_flush_waits_for_decisions_in_flight_and_no_longer(self) -> None:
        def slowly(peer: Peer) -> None:
            time.sleep(0.3)
            take(peer)

        gateway, client = self.scene(slowly, mode="immediate")
        log(client, "a")
        while not gateway.seen:
            time.sleep(0.01)
        self.assertEqual(client.flush(10_000).sent, 1)
        self.assertEqual(client.flush(0), sluice.FlushResult(0, 0, 0, 0))

    def test_aflush_does_not_block_the_event_loop(self) -> None:
        def slowly(peer: Peer) -> None:
            time.sleep(0.3)
            take(peer)

        gateway, client = self.scene(slowly)

        async def main() -> tuple[sluice.FlushResult, int]:
            beats = 0
            log(client, "a")
            flushing = asyncio.ensure_future(client.aflush(10_000))
            while not flushing.done():
                await asyncio.sleep(0.01)
                beats += 1
            return await flushing, beats

        result, beats = asyncio.run(main())
        self.assertEqual(result.sent, 1)
        self.assertGreater(beats, 3)

    def test_concurrent_threads_lose_nothing(self) -> None:
        gateway, client = self.scene(batch_max_items=7, batch_interval_ms=1)

        def work(name: int) -> None:
            for n in range(200):
                log(client, f"{name}-{n}")

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(client.flush(30_000).pending, 0)
        outputs = [output for batch in gateway.outputs() for output in batch]
        self.assertEqual((len(outputs), len(set(outputs))), (1600, 1600))
        self.assertEqual(client.stats().sent, 1600)
        self.dropped(client)
