"""One request to the gateway, as the client makes it, and its answer as it is."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from sluice._options import Settings
from sluice._transport import Transport, TransportError
from sluice._verdict import Response, parse_body
from sluice._version import SDK_VERSION


class Unreachable(Exception):
    """There was no answer; the text says why."""


@dataclass(frozen=True)
class Answer:
    """Status and body of an answer; the body is {} when it is no JSON object."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""
    asked_at: float
    answered_at: float
    """Both in seconds since 1970, by the clock of here."""

    @property
    def code(self) -> str:
        """The code of a refusal of the gateway; "" when it is no refusal of a Sluice gateway."""
        code = self.body.get("code")
        return code if isinstance(code, str) else ""

    @property
    def dated_at(self) -> float | None:
        """The time of the gateway, to the second."""
        try:
            return parsedate_to_datetime(self.headers.get("date", "")).timestamp()
        except (TypeError, ValueError, IndexError, OverflowError):
            return None


def ask(settings: Settings, path: str, body: object = None) -> Answer:
    """GET, or POST when there is a body. Raises Unreachable, also when it takes too long."""
    headers = {
        "Authorization": f"Bearer {settings.api_key}",
        "Content-Type": "application/json",
        "User-Agent": SDK_VERSION,
        "X-Sluice-SDK": SDK_VERSION,
    }
    transport = Transport(settings.base_url or "", settings.timeout_ms / 1000)
    asked_at = time.time()
    try:
        if body is None:
            response = transport.get(path, headers)
        else:
            response = transport.post(path, headers, json.dumps(body).encode())
    except TransportError as error:
        raise Unreachable(str(error)) from error
    finally:
        transport.close()
    return _answer_of(response, asked_at)


def _answer_of(response: Response, asked_at: float) -> Answer:
    body = parse_body(response.body)
    members = body if isinstance(body, dict) else {}
    return Answer(response.status, members, response.headers, asked_at, time.time())
