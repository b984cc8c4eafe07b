"""Deletes from the SQLite file what was asked to be erased.

    npx sluice erase --list --json | python forget.py decisions.db

Run it again and again: what was still on its way comes after an erasure, and goes then.
"""

import datetime
import json
import sqlite3
import sys

COLUMNS = {"decision": "decision_id", "session": "session_id", "agent": "agent_id"}


def main(path, erasures):
    store = sqlite3.connect(path)
    with store:
        for erasure in erasures:
            for table in ("decisions", "runs"):
                store.execute(f"delete from {table} where {condition(erasure)}", erasure)
    # Deleted rows are still in the file until it is written anew.
    store.execute("vacuum")
    store.close()


def condition(erasure):
    mine = "organization_id = :organization_id"
    scope = erasure["scope"]
    if scope == "decision":  # For good, whenever it comes.
        return f"{mine} and decision_id = :subject"
    until = datetime.datetime.fromisoformat(erasure["received_until"])
    erasure["until"] = until.isoformat(timespec="milliseconds")
    named = "" if scope == "organization" else f" and {COLUMNS[scope]} = :subject"
    return f"{mine}{named} and received_at <= :until"


if __name__ == "__main__":
    main(sys.argv[1], json.load(sys.stdin))
