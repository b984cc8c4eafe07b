"""Deletes erased decisions from the SQLite file.

    npx sluice erase --list --json | python forget.py decisions.db

Run it regularly: records in transit during an erasure arrive later, and the next run deletes them.
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
    # Rewrites the file, which still contains the deleted rows.
    store.execute("vacuum")
    store.close()


def condition(erasure):
    own = "organization_id = :organization_id"
    scope = erasure["scope"]
    if scope == "decision":  # Applies whenever the decision arrives.
        return f"{own} and decision_id = :subject"
    until = datetime.datetime.fromisoformat(erasure["received_until"])
    erasure["until"] = until.isoformat(timespec="milliseconds")
    named = "" if scope == "organization" else f" and {COLUMNS[scope]} = :subject"
    return f"{own}{named} and received_at <= :until"


if __name__ == "__main__":
    main(sys.argv[1], json.load(sys.stdin))
