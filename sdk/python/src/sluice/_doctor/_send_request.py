"""Sends one request to the gateway without following redirects, and returns the response."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from sluice._batch_result import Response, parse_body
from sluice._options import Settings
from sluice._transport import Transport, TransportError
from sluice._version import SDK_VERSION


class Unreachable(Exception):
    """Raised if no response was received. The message is the reason."""


@dataclass(frozen=True)
class DoctorResponse:
    """A response from the gateway. `body` is {} if it is not a JSON object."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """Header names are in lower case."""
    sent_at: float
    received_at: float
    """Like `sent_at`, Unix time in seconds according to the local clock."""

    @property
    def code(self) -> str:
        """The `code` of a Sluice problem response, otherwise ""."""
        code = self.body.get("code")
        return code if isinstance(code, str) else ""

    @property
    def dated_at(self) -> float | None:
        """The gateway's time, truncated to the second; None without a valid Date header."""
        try:
            return parsedate_to_datetime(self.headers.get("date", "")).timestamp()
        except (TypeError, ValueError, IndexError, OverflowError):
            return None


def send_request(settings: Settings, path: str, body: object = None) -> DoctorResponse:
    """Sends a GET request, or a POST request if `body` is set. Raises Unreachable."""
    headers = {
        "Authorization": f"Bearer {settings.api_key}",
        "Content-Type": "application/json",
        "User-Agent": SDK_VERSION,
        "X-Sluice-SDK": SDK_VERSION,
    }
    transport = Transport(settings.base_url or "", settings.timeout_ms / 1000)
    sent_at = time.time()
    try:
        if body is None:
            response = transport.get(path, headers)
        else:
            response = transport.post(path, headers, json.dumps(body).encode())
    except TransportError as error:
        raise Unreachable(str(error)) from error
    finally:
        transport.close()
    return _response_of(response, sent_at)


def _response_of(response: Response, sent_at: float) -> DoctorResponse:
    body = parse_body(response.body)
    members = body if isinstance(body, dict) else {}
    return DoctorResponse(response.status, members, response.headers, sent_at, time.time())
