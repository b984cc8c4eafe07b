"""Exchange: sends one request with a batch, a drop report or both."""

from __future__ import annotations

import gzip
import json
import time
import uuid
from typing import Any, NamedTuple

from sluice._batch_result import BatchResult, no_response, read_batch_result
from sluice._notices import write_line
from sluice._options import Settings
from sluice._queue import Batch
from sluice._transport import Transport, TransportError
from sluice._version import SDK_VERSION

PATH = "/v1/ingest/batch"
_GZIP_LEVEL = 3


class Job(NamedTuple):
    """The content of one request."""

    batch: Batch | None
    report: dict[str, Any] | None


def report_text(report: dict[str, Any]) -> bytes:
    return b'"client_report":' + json.dumps(report, ensure_ascii=False).encode("utf-8", "replace")


class Exchange:
    """Posts jobs. Even a request without a response yields a result."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._headers = {
            "Authorization": f"Bearer {settings.api_key}",
            "Content-Type": "application/json",
            "User-Agent": f"sluice-{SDK_VERSION}",
            "X-Sluice-SDK": SDK_VERSION,
        }

    def new_transport(self) -> Transport:
        return Transport(self._settings.base_url or "", self._settings.timeout_ms / 1000)

    def run(self, transport: Transport, job: Job) -> BatchResult:
        """Never raises."""
        ids = [] if job.batch is None else [entry.decision_id for entry in job.batch.entries]
        began = time.monotonic()
        try:
            body, headers = self._request(job)
            response = transport.post(PATH, headers, body)
            result = read_batch_result(response, ids, time.time())
        except TransportError as error:
            result = no_response(len(ids), str(error))
        except Exception as error:
            # A bug in the SDK. The decisions are retried as after any other failure.
            result = no_response(len(ids), f"internal error, {type(error).__name__}")
        if self._settings.debug:
            self._describe(job, len(ids), result, time.monotonic() - began)
        return result

    def _describe(self, job: Job, count: int, result: BatchResult, seconds: float) -> None:
        batch = "a report" if job.batch is None else f"batch {job.batch.id}"
        attempt = 1 if job.batch is None else job.batch.attempts
        write_line(
            f"POST {PATH}: {batch}, {count} decisions, attempt {attempt}: "
            f"{result.summary} in {round(seconds * 1000)} ms"
        )

    def _request(self, job: Job) -> tuple[bytes, dict[str, str]]:
        members: list[bytes] = []
        if job.batch is not None:
            joined = b",".join([entry.data for entry in job.batch.entries])
            members.append(b'"decisions":[' + joined + b"]")
        if job.report is not None:
            members.append(report_text(job.report))
        body = b"{" + b",".join(members) + b"}"
        headers = {
            **self._headers,
            "X-Batch-Id": job.batch.id if job.batch is not None else str(uuid.uuid4()),
            "X-Attempt": str(job.batch.attempts if job.batch is not None else 1),
        }
        if len(body) > self._settings.gzip_over_bytes:
            body = gzip.compress(body, _GZIP_LEVEL)
            headers["Content-Encoding"] = "gzip"
        return body, headers
