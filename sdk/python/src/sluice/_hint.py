"""Hints: how to fix the cause of a failed request."""

from __future__ import annotations

from urllib.parse import urlsplit

from sluice._batch_result import BatchResult
from sluice._options import Settings

_DOCTOR = "run `python -m sluice doctor`"
_RETRIED = "decisions stay in memory and are retried"


def hint_of(settings: Settings, result: BatchResult) -> str:
    """Returns a hint for log lines, without secrets."""
    status = result.summary[:3]
    if status == "401":
        masked = _mask(settings.api_key or "")
        return f"check SLUICE_API_KEY ({masked}); {_DOCTOR}"
    if status == "403":
        return f"the API key requires the scope ingest; {_DOCTOR}"
    if status.startswith("3"):
        return "redirects are not followed; set SLUICE_BASE_URL to the target"
    address = urlsplit(settings.base_url or "").netloc
    if result.is_misconfigured:
        return f"check SLUICE_BASE_URL ({address}); {_DOCTOR}"
    if not result.is_retryable:
        return "rejected; see docs/reference/errors.md in the Sluice repository"
    if status == "429":
        return f"the rate limit is reached; {_RETRIED}"
    if status.isdigit():
        return f"{address} cannot accept decisions now; {_RETRIED}"
    if "WRONG_VERSION_NUMBER" in result.summary:
        return f"the gateway does not use TLS; use http:// in SLUICE_BASE_URL; {_RETRIED}"
    check = f"check that a gateway runs at SLUICE_BASE_URL ({address})"
    return f"{check}; {_RETRIED}; {_DOCTOR}"


def _mask(key: str) -> str:
    """Returns only the prefix of a key, which is not secret."""
    parts = key.split("_")
    is_key = len(parts) > 2 and parts[0] == "slk"
    return f"slk_{parts[1][:16]}_…" if is_key else "it does not begin with slk_"
