"""What the gateway's answer says of each decision of a batch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, NamedTuple


class Response(NamedTuple):
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes | None
    """None when it is longer than anything a gateway says."""


class Fate(Enum):
    """Of one decision."""

    SENT = "sent"
    AGAIN = "again"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    UNAUTHORIZED = "unauthorized"


class Verdict(NamedTuple):
    """Of a batch."""

    fates: list[Fate]
    told: str
    """Status and code: what went wrong, for people."""
    retry_after_s: float | None = None
    is_taken: bool = False
    """Whether it was an answer of success, so that a report was taken as well."""
    is_misconfigured: bool = False
    """Whether it says that the client is set up wrongly."""
    is_again: bool = False
    """Whether anything in it asks for another attempt, later."""


_AGAIN_STATUSES = frozenset((408, 425, 429))
_MISCONFIGURED = frozenset((401, 403, 404, 405))
_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")


def read_verdict(response: Response, ids: Sequence[str], wall_clock: float) -> Verdict:
    """The verdict on the decisions of these ids; the wall clock is in seconds since 1970."""
    count = len(ids)
    status, headers, body = response
    parsed = parse_body(body)
    told = _told(status, parsed)
    retry_after = None
    if _fate_of_all(status) is Fate.AGAIN:
        retry_after = _retry_after(headers.get("retry-after"), wall_clock)
    fates = None
    if 200 <= status < 300 or status in (429, 503):
        fates = _fates(parsed, ids)
    if fates is not None:
        told = _told(status, _first_problem(parsed)) if 200 <= status < 300 else told
        is_taken = 200 <= status < 300
        return Verdict(fates, told, retry_after, is_taken, is_again=Fate.AGAIN in fates)
    fate = _fate_of_all(status)
    if 200 <= status < 300:
        told = f"{status} with an answer that is none of the gateway's"
    return Verdict(
        [fate] * count,
        told,
        retry_after,
        is_misconfigured=fate is Fate.UNAUTHORIZED,
        is_again=fate is Fate.AGAIN,
    )


def no_answer(count: int, told: str) -> Verdict:
    """The verdict when the exchange failed."""
    return Verdict([Fate.AGAIN] * count, told, is_again=True)


def _fate_of_all(status: int) -> Fate:
    if status < 300 or status >= 500 or status in _AGAIN_STATUSES:
        return Fate.AGAIN
    if status == 413:
        return Fate.TOO_LARGE
    if status < 400 or status in _MISCONFIGURED:
        return Fate.UNAUTHORIZED
    return Fate.REFUSED


def parse_body(body: bytes | None) -> Any:
    """What it says; None when it is no JSON."""
    try:
        return json.loads(body or b"")
    except (ValueError, RecursionError):
        return None


def _told(status: int, parsed: Any) -> str:
    code = parsed.get("code") if isinstance(parsed, dict) else None
    # Whatever else an answer says may repeat what was sent.
    is_code = isinstance(code, str) and _CODE.fullmatch(code)
    return f"{status} {code}" if is_code else str(status)


def _first_problem(parsed: Any) -> Any:
    results = (result for result in parsed["results"] if isinstance(result, dict))
    problems = (result.get("problem") for result in results)
    return next((problem for problem in problems if problem), None)


def _fates(parsed: Any, ids: Sequence[str]) -> list[Fate] | None:
    """None unless there is one result for each decision.

    What names another decision answers another request, by a fault of whoever is in between.
    """
    results = parsed.get("results") if isinstance(parsed, dict) else None
    if not isinstance(results, list) or len(results) != len(ids):
        return None
    if any(map(_is_of_another, results, ids)):
        return None
    return [_fate(result) for result in results]


def _is_of_another(result: Any, decision_id: str) -> bool:
    named = result.get("decision_id") if isinstance(result, dict) else None
    return isinstance(named, str) and named != decision_id


def _fate(result: Any) -> Fate:
    """What cannot be read is no refusal."""
    if not isinstance(result, dict):
        return Fate.AGAIN
    if result.get("queued") is True:
        return Fate.SENT
    is_refused = result.get("queued") is False and result.get("retryable") is False
    return Fate.REFUSED if is_refused else Fate.AGAIN


def _retry_after(text: str | None, wall_clock: float) -> float | None:
    """Seconds from now on, given as such or as a date."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - wall_clock)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
