"""Stores both topics in a SQLite file, each decision and each run once.

    pip install -r requirements.txt
    python read_topics.py decisions.db

Ctrl-C stops it gracefully. After any other exit, start it again: it resumes at the last commit.
"""

import json
import os
import pathlib
import signal
import sqlite3
import sys

from confluent_kafka import Consumer, KafkaException
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import SerializationError

DECISIONS = os.environ.get("DECISIONS_TOPIC", "agent-decisions")
EVALUATIONS = os.environ.get("EVALUATIONS_TOPIC", "decision-evaluations")
DECISION_FIELDS = [
    *("organization_id", "decision_id", "received_at", "agent_id", "session_id", "domain"),
    *("input", "output", "metadata", "input_tokens", "output_tokens"),
]
RUN_FIELDS = [
    *("run_id", "rule", "rule_id", "evaluator", "evaluator_id", "evaluator_version"),
    *("generation", "status", "status_reason"),
]
SCORE_FIELDS = ["value", "label", "passed", "reason", "confidence", "evidence"]

# Errors that the record itself causes: bytes that are not Avro, invalid times, and fields that are
# missing or have the wrong type.
OF_THE_RECORD = (
    *(SerializationError, EOFError, LookupError, TypeError, ValueError, OverflowError),
    *(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError),
)


def main(path):
    stop = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.append(True))
    store = sqlite3.connect(path)
    store.executescript(pathlib.Path(__file__).with_name("tables.sql").read_text())
    registry = SchemaRegistryClient({"url": os.environ["SCHEMA_REGISTRY_URL"]})
    deserialize = AvroDeserializer(registry)
    consumer = Consumer(
        {
            "bootstrap.servers": os.environ["KAFKA_BROKERS"],
            "group.id": os.environ.get("GROUP_ID", "data-team"),
            # A new group starts with the oldest record; the default would skip existing records.
            "auto.offset.reset": "earliest",
            # Offsets are committed after the rows, never before.
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe([DECISIONS, EVALUATIONS])
    try:
        while not stop:
            messages = consumer.consume(500, timeout=1.0)
            with store:  # One transaction: all records or none.
                for message in messages:
                    keep(store, deserialize, message)
            commit(consumer, messages)
    finally:
        consumer.close()
        store.close()


def commit(consumer, messages):
    """Commits the offsets. A rebalance may prevent this, but rows are never stored twice."""
    try:
        if messages:
            consumer.commit(asynchronous=False)
    except KafkaException as error:
        print(f"not committed: {error}", file=sys.stderr)


def keep(store, deserialize, message):
    if message.error() is not None:
        # The client retries by itself unless the error is fatal.
        if message.error().fatal():
            raise KafkaException(message.error())
        print(message.error(), file=sys.stderr)
        return
    try:
        for table, row in rows_of(message.topic(), deserialize(message.value())):
            insert(store, table, row)
    except Exception as error:
        if not is_of_the_record(error):
            raise
        place = (message.topic(), message.partition(), message.offset())
        insert(store, "unreadable", [*place, message.value(), repr(error)])


def is_of_the_record(error):
    """Checks whether the record itself caused the error. Other errors end the program."""
    if isinstance(error, SchemaRegistryError):
        # 40403 means that the schema is unknown. Another 404 may mean that the address is wrong.
        return error.error_code == 40403
    return isinstance(error, OF_THE_RECORD) and not isinstance(error, json.JSONDecodeError)


def rows_of(topic, value):
    """Converts a record to rows. Raises an error if its schema is not that of the topic."""
    if value is None:
        raise ValueError("the record has no value")
    if topic == DECISIONS:
        return [("decisions", [column(value[name]) for name in DECISION_FIELDS])]
    runs = [*map(to_later_run, value["runs"]), *value["later_runs"]]
    return [("runs", run_row(value, run)) for run in runs]


def to_later_run(run):
    """Converts a run in `runs` to the shape of a later run, with the ID `rule_id/evaluator_id`."""
    kind = run["kind"]
    run_id = f"{kind['rule_id']}/{kind['evaluator_id']}"
    score = {"name": kind["name"], **{name: run[name] for name in SCORE_FIELDS}}
    if kind["reason_template"] is not None:
        score["reason"] = reason_of(kind["reason_template"], run["reason_numbers"])
    scores = [] if kind["name"] is None else [score]
    return {**run, **kind, "run_id": run_id, "generation": 0, "scores": scores}


def reason_of(template, numbers):
    """Replaces each `#` of the template with a number."""
    found = iter((numbers or "").split())
    return "".join(next(found, "") if sign == "#" else sign for sign in template)


def run_row(evaluation, run):
    return [
        evaluation["organization_id"],
        evaluation["decision_id"],
        *(run[name] for name in RUN_FIELDS),
        column(evaluation["evaluated_at"]),
        evaluation["agent_id"],
        evaluation["session_id"],
        column(evaluation["received_at"]),
        json.dumps(run["scores"], allow_nan=False),
    ]


def column(value):
    """Formats a time as text that sorts chronologically. Returns other values unchanged."""
    return value.isoformat(timespec="milliseconds") if hasattr(value, "isoformat") else value


def insert(store, table, row):
    """Inserts a row unless it exists, because a message may be delivered more than once."""
    places = ", ".join("?" * len(row))
    store.execute(f"insert into {table} values ({places}) on conflict do nothing", row)


if __name__ == "__main__":
    main(sys.argv[1])
