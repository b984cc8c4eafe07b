"""One request to the gateway, and its answer as it is: redirects are not followed."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any

from sluice._options import Settings
from sluice._proxy import proxy_of
from sluice._version import SDK_VERSION

_BYTES_MAX = 1024 * 1024


class Unreachable(Exception):
    """There was no answer; the text says why."""


@dataclass(frozen=True)
class Answer:
    """Status and body of an answer; the body is {} when it is no JSON object."""

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    asked_at: float
    answered_at: float
    """Both in seconds since 1970, by the clock of here."""

    @property
    def code(self) -> str:
        """The code of a refusal of the gateway; "" when it is no refusal of a Sluice gateway."""
        return str(self.body.get("code", ""))

    @property
    def dated_at(self) -> float | None:
        """The time of the gateway, to the second."""
        try:
            return parsedate_to_datetime(self.headers.get("Date", "")).timestamp()
        except (TypeError, ValueError, IndexError):
            return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def ask(settings: Settings, path: str, body: object = None) -> Answer:
    """GET, or POST when there is a body. Raises Unreachable."""
    request = urllib.request.Request(
        f"{settings.base_url}{path}",
        None if body is None else json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {settings.api_key}",
            "Content-Type": "application/json",
            "User-Agent": SDK_VERSION,
            "X-Sluice-SDK": SDK_VERSION,
        },
    )
    asked_at = time.time()
    try:
        with _open(request, settings.timeout_ms / 1000) as response:
            text = response.read(_BYTES_MAX)
            headers = response.headers
            return Answer(response.status, _object(text), headers, asked_at, time.time())
    except (OSError, HTTPException) as error:
        raise Unreachable(_reason(error)) from error


def _open(request: urllib.request.Request, timeout: float) -> Any:
    proxy = proxy_of(request.type, request.host.rpartition(":")[0] or request.host)
    proxies = urllib.request.ProxyHandler({} if proxy is None else {request.type: proxy})
    try:
        return urllib.request.build_opener(_NoRedirect, proxies).open(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        return refusal


def _reason(error: BaseException) -> str:
    reason = getattr(error, "reason", error)
    return str(reason) or type(reason).__name__


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
