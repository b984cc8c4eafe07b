"""Gateway checks: the API key, the clock, and whether a test decision is stored."""

from __future__ import annotations

import time

from sluice._doctor._finding import Finding, failed, ok, skipped
from sluice._doctor._send_request import DoctorResponse, send_request
from sluice._options import Settings
from sluice._version import SDK_VERSION

TEST_AGENT_ID = "sluice-doctor"
_CLOCK_SECONDS_MAX = 30
_WAIT_SECONDS_MAX = 10

_HINTS = {
    "api_key_required": "Set SLUICE_API_KEY.",
    "api_key_malformed": "Copy the whole key again.",
    "api_key_invalid": (
        "The key was revoked, has expired or belongs to another installation. Create a new one."
    ),
    "scope_missing": "Create an API key with the scope ingest.",
    "rate_limited": "Wait a minute, or ask for a higher rate limit for the organization.",
    "route_not_found": "Set SLUICE_BASE_URL to the URL of the gateway without /v1.",
}


def check_key_accepted(response: DoctorResponse) -> Finding:
    """Checks that the gateway accepts the API key and that the key has the scope `ingest`."""
    body = response.body
    if response.code == "route_not_found":
        detail = "this gateway only accepts decisions and does not describe API keys"
        return skipped("scope", detail)
    given, organization = body.get("scopes"), body.get("organization")
    if response.status != 200 or not isinstance(given, list) or not isinstance(organization, dict):
        return _rejected("scope", response)
    scopes = [str(scope) for scope in given]
    name = body.get("name") or body.get("key_id")
    about = f'key "{name}" of "{organization.get("name", "")}"'
    names = ", ".join(scopes)
    if "ingest" not in scopes:
        detail = f"{about} lacks the scope ingest; its scopes: {names}"
        return failed("scope", detail, _HINTS["scope_missing"])
    expires = f"; expires {body['expires_at']}" if body.get("expires_at") else ""
    return ok("scope", f"{about}; scopes: {names}{expires}")


def check_clock(response: DoctorResponse) -> Finding:
    """Compares the local clock with the gateway's, because decision ids contain the time."""
    dated_at = response.dated_at
    if dated_at is None:
        return skipped("clock", "the response has no Date header")
    # A Date header is truncated to the second.
    ahead = (response.sent_at + response.received_at) / 2 - (dated_at + 0.5)
    apart = f"{abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} the gateway"
    if abs(ahead) > _CLOCK_SECONDS_MAX:
        hint = "Synchronize the clock of this machine with NTP: decision ids contain the time."
        return failed("clock", apart, hint)
    return ok("clock", apart)


def send_test(settings: Settings, decision_id: str) -> Finding:
    """Sends a test decision and checks that the gateway acknowledges it."""
    began = time.perf_counter()
    response = send_request(
        settings,
        "/v1/ingest",
        {
            "decision_id": decision_id,
            "agent_id": TEST_AGENT_ID,
            "input": {"question": "Does it arrive?"},
            "output": "It does.",
            "metadata": {"test": True},
            "sdk_version": SDK_VERSION,
        },
    )
    if response.status != 202:
        return _rejected("send", response)
    elapsed_ms = round((time.perf_counter() - began) * 1000)
    sent = f"decision {decision_id} of agent {TEST_AGENT_ID}"
    return ok("send", f"acknowledged in {elapsed_ms} ms: {sent}")


def wait_until_stored(settings: Settings, decision_id: str, wait_seconds: float) -> Finding:
    """Polls until the test decision is stored, for at most `wait_seconds`."""
    began = time.monotonic()
    while True:
        rest = wait_seconds - (time.monotonic() - began)
        whole = max(0, min(_WAIT_SECONDS_MAX, int(settings.timeout_ms / 1000) - 1, round(rest)))
        response = send_request(settings, f"/v1/ingest/{decision_id}?wait={whole}")
        elapsed_ms = round((time.monotonic() - began) * 1000)
        if response.status == 200:
            return ok("stored", f"stored after {elapsed_ms} ms")
        if response.code == "route_not_found":
            detail = "this gateway only accepts decisions and does not serve reads"
            return skipped("stored", detail)
        if response.code not in ("decision_not_found", "overloaded", "store_unavailable"):
            return _rejected("stored", response)
        if elapsed_ms >= wait_seconds * 1000:
            return failed(
                "stored",
                f"not stored within {wait_seconds:g} s",
                "The decision is acknowledged and therefore safe. Ask the operator of the gateway"
                " to check the storage consumer.",
            )
        time.sleep(0.2)


def _rejected(check: str, response: DoctorResponse) -> Finding:
    status = response.status
    if not response.code:
        location = response.headers.get("location")
        target = f" (Location: {location})" if location else ""
        return failed(
            check,
            f"this URL is not a Sluice gateway: it responded with {status}{target}",
            "Check SLUICE_BASE_URL. A proxy or a login page may intercept the request.",
        )
    title = response.body.get("title", "")
    hint = "Try again. If the error persists, report this line to the operator of the gateway."
    return failed(check, f"{status} {response.code}: {title}", _HINTS.get(response.code, hint))
