"""trace: logs one decision whose fields are set step by step within a `with` block."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from sluice._context import Fields, merge_fields, merge_metadata
from sluice._observation import Log, described, guarded, snapshot_of
from sluice._uuid7 import new_id


class StartTrace:
    """Starts a trace: `with client.trace() as decision:`."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __call__(
        self,
        *,
        name: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        domain: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Trace:
        fields = {"agent_id": agent_id, "session_id": session_id, "domain": domain}
        return Trace(self._log, described(name, {**fields, "metadata": metadata}))


class Trace:
    """The decision of a `with` block, logged when the block ends, with any error it raised."""

    def __init__(self, log: Log, fields: Fields) -> None:
        self.decision_id = new_id()
        """Known from the start, so that the block can pass it on."""
        self._log = log
        self._fields = merge_fields({}, fields)
        self._metadata = merge_metadata({}, fields.get("metadata"))

    def set_input(self, value: Any) -> None:
        """Sets the input to a snapshot of the value."""
        self._fields["input"] = snapshot_of(lambda: value, "/input")

    def set_output(self, value: Any) -> None:
        """Sets the output to a snapshot of the value."""
        self._fields["output"] = snapshot_of(lambda: value, "/output")

    def set_metadata(self, metadata: Mapping[str, Any]) -> None:
        """Adds members to the metadata, replacing existing members with the same names."""
        self._metadata = merge_metadata(self._metadata, metadata)

    def set_tokens(self, *, input: int | None = None, output: int | None = None) -> None:  # noqa: A002
        """Sets the numbers of tokens that the model read and wrote."""
        self._fields["input_tokens"] = input
        self._fields["output_tokens"] = output

    def __enter__(self) -> Trace:
        self._context = contextvars.copy_context()
        self._began = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._metadata["error"] = error
            self._fields.setdefault("output", "")
        self._metadata["latency_ms"] = round((time.perf_counter() - self._began) * 1000)
        fields = {**self._fields, "decision_id": self.decision_id, "metadata": self._metadata}
        guarded(lambda: self._context.run(self._log, **fields))
