"""Determines the result of each decision in a batch from the gateway's response."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, NamedTuple


class Response(NamedTuple):
    """A complete HTTP response."""

    status: int
    headers: Mapping[str, str]
    """Header names are in lower case."""
    body: bytes | None
    """None if the body is longer than any gateway response."""


class ItemResult(Enum):
    """How a batch ended for one decision."""

    SENT = "sent"
    RETRY = "retry"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    UNAUTHORIZED = "unauthorized"


class BatchResult(NamedTuple):
    """The results of a batch, in the order of its decisions."""

    items: list[ItemResult]
    summary: str
    """Status and problem code, for log lines."""
    retry_after_s: float | None = None
    is_accepted: bool = False
    """True for a gateway response with a success status, which also accepts any drop report."""
    is_misconfigured: bool = False
    """True if the API key or the URL is wrong."""
    is_retryable: bool = False
    """True if at least one decision must be retried."""


_AGAIN_STATUSES = frozenset((408, 425, 429))
_MISCONFIGURED = frozenset((401, 403, 404, 405))
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


def read_batch_result(response: Response, ids: Sequence[str], wall_clock: float) -> BatchResult:
    """Reads one result per id in `ids`; `wall_clock` is Unix time in seconds."""
    count = len(ids)
    status, headers, body = response
    parsed = parse_body(body)
    summary = _summarize(status, parsed)
    retry_after = None
    if _result_of_all(status) is ItemResult.RETRY:
        retry_after = _retry_after(headers.get("retry-after"), wall_clock)
    items = None
    if 200 <= status < 300 or status in (429, 503):
        items = _item_results(parsed, ids)
    if items is not None:
        summary = _summarize(status, _first_problem(parsed)) if 200 <= status < 300 else summary
        is_accepted = 200 <= status < 300
        return BatchResult(
            items, summary, retry_after, is_accepted, is_retryable=ItemResult.RETRY in items
        )
    item = _result_of_all(status)
    if 200 <= status < 300:
        summary = f"{status}, not a gateway response"
    return BatchResult(
        [item] * count,
        summary,
        retry_after,
        is_misconfigured=item is ItemResult.UNAUTHORIZED,
        is_retryable=item is ItemResult.RETRY,
    )


def no_response(count: int, summary: str) -> BatchResult:
    """Returns the result of an exchange without a response: every decision is retried."""
    return BatchResult([ItemResult.RETRY] * count, summary, is_retryable=True)


def _result_of_all(status: int) -> ItemResult:
    if status < 300 or status >= 500 or status in _AGAIN_STATUSES:
        return ItemResult.RETRY
    if status == 413:
        return ItemResult.TOO_LARGE
    if status < 400 or status in _MISCONFIGURED:
        return ItemResult.UNAUTHORIZED
    return ItemResult.REFUSED


def parse_body(body: bytes | None) -> Any:
    """Returns None if the body is not JSON."""
    try:
        return json.loads(body or b"")
    except (ValueError, RecursionError):
        return None


def _summarize(status: int, parsed: Any) -> str:
    code = parsed.get("code") if isinstance(parsed, dict) else None
    # Other parts of a response may repeat the payload.
    is_code = isinstance(code, str) and _CODE.fullmatch(code)
    return f"{status} {code}" if is_code else str(status)


def _first_problem(parsed: Any) -> Any:
    results = (result for result in parsed["results"] if isinstance(result, dict))
    problems = (result.get("problem") for result in results)
    return next((problem for problem in problems if problem), None)


def _item_results(parsed: Any, ids: Sequence[str]) -> list[ItemResult] | None:
    """Returns None unless there is one result per decision, in order.

    A different decision id means that a proxy returned the response to another request.
    """
    results = parsed.get("results") if isinstance(parsed, dict) else None
    if not isinstance(results, list) or len(results) != len(ids):
        return None
    if any(map(_is_of_another, results, ids)):
        return None
    return [_item_result(result) for result in results]


def _is_of_another(result: Any, decision_id: str) -> bool:
    named = result.get("decision_id") if isinstance(result, dict) else None
    return isinstance(named, str) and named != decision_id


def _item_result(result: Any) -> ItemResult:
    """Retries a decision whose result is unreadable; only an explicit rejection drops it."""
    if not isinstance(result, dict):
        return ItemResult.RETRY
    if result.get("queued") is True:
        return ItemResult.SENT
    is_rejected = result.get("queued") is False and result.get("retryable") is False
    return ItemResult.REFUSED if is_rejected else ItemResult.RETRY


def _retry_after(text: str | None, wall_clock: float) -> float | None:
    """Returns the seconds to wait. The header holds seconds or an HTTP date."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - wall_clock)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
