"""Logs decisions with the Python SDK and reports the cost."""

import json
import statistics
import sys
import time

import sluice

TICK_SECONDS = 0.02
WARM_UP_ROUNDS = 3
MEMBERS = (
    "input",
    "output",
    "session_id",
    "domain",
    "metadata",
    "input_tokens",
    "output_tokens",
)


def enqueue(order, decisions):
    """Measures only the logging thread, because the client's own thread may run concurrently."""
    costs = []
    for turn in range(-WARM_UP_ROUNDS, order["rounds"]):
        client = sluice.init()
        started_at = time.thread_time()
        for index in range(order["count"]):
            client.log(**decisions[index % len(decisions)])
        elapsed = time.thread_time() - started_at
        if turn >= 0:
            costs.append(elapsed * 1e6 / order["count"])
        client.close()
    return {"enqueue_us": statistics.median(costs)}


def send(order, decisions):
    client = sluice.init()
    cpu_before = time.process_time()
    started_at = time.monotonic()
    logged = 0
    while logged < order["count"]:
        due = min(order["count"], (time.monotonic() - started_at) * order["rate"])
        while logged < due:
            client.log(**decisions[logged % len(decisions)])
            logged += 1
        time.sleep(TICK_SECONDS)
    flushed = client.flush(timeout_ms=order["flushMs"])
    cpu = time.process_time() - cpu_before
    stats = client.stats()
    client.close()
    return {
        "loop_p99_ms": None,
        "cpu_us": cpu * 1e6 / order["count"],
        "stats": {
            "logged": stats.logged,
            "sent": stats.sent,
            "dropped": dict(stats.dropped),
        },
        "pending": flushed.pending,
    }


def main():
    order = json.loads(sys.argv[1])
    with open(order["file"], encoding="utf-8") as file:
        decisions = [{name: one[name] for name in MEMBERS} for one in json.load(file)]
    work = enqueue if order["what"] == "enqueue" else send
    print(json.dumps(work(order, decisions)))


if __name__ == "__main__":
    main()
