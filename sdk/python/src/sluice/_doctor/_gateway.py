"""Checks with the gateway: the key, the clock, and a decision of its own until it is stored."""

from __future__ import annotations

import time

from sluice._doctor._ask import Answer, ask
from sluice._doctor._finding import Finding, failed, ok, skipped
from sluice._options import Settings
from sluice._version import SDK_VERSION

TEST_AGENT_ID = "sluice-doctor"
_CLOCK_SECONDS_MAX = 30
_WAIT_SECONDS_MAX = 10

_HINTS = {
    "api_key_required": "Set SLUICE_API_KEY.",
    "api_key_malformed": "Copy the key again, whole.",
    "api_key_invalid": (
        "It was revoked, has expired, or is of another installation: make a new one."
    ),
    "scope_missing": "Make a key with the scope ingest.",
    "rate_limited": "Wait a minute, or have the limit of the organization raised.",
    "route_not_found": "SLUICE_BASE_URL is the address of the gateway without /v1.",
}


def check_key_accepted(answer: Answer) -> Finding:
    """Whether the gateway knows the key, and lets it send."""
    body = answer.body
    if answer.code == "route_not_found":
        return skipped("scope", "this gateway only takes decisions, and tells nothing of keys")
    given, organization = body.get("scopes"), body.get("organization")
    if answer.status != 200 or not isinstance(given, list) or not isinstance(organization, dict):
        return _refused("scope", answer)
    scopes = [str(scope) for scope in given]
    name = body.get("name") or body.get("key_id")
    about = f'key "{name}" of "{organization.get("name", "")}"'
    if "ingest" not in scopes:
        return failed("scope", f"{about} may only {', '.join(scopes)}", _HINTS["scope_missing"])
    ends = f", until {body['expires_at']}" if body.get("expires_at") else ""
    return ok("scope", f"{about} may {', '.join(scopes)}{ends}")


def check_clock(answer: Answer) -> Finding:
    """Whether the clock of here agrees with that of the gateway; ids carry the time."""
    dated_at = answer.dated_at
    if dated_at is None:
        return skipped("clock", "the gateway does not tell the time")
    # A Date header has no fraction of a second.
    ahead = (answer.asked_at + answer.answered_at) / 2 - (dated_at + 0.5)
    apart = f"{abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} that of the gateway"
    if abs(ahead) > _CLOCK_SECONDS_MAX:
        hint = "Have this machine set its clock by NTP: ids carry the time."
        return failed("clock", apart, hint)
    return ok("clock", apart)


def send_test(settings: Settings, decision_id: str) -> Finding:
    """Whether a decision is acknowledged."""
    began = time.perf_counter()
    answer = ask(
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
    if answer.status != 202:
        return _refused("send", answer)
    elapsed_ms = round((time.perf_counter() - began) * 1000)
    return ok("send", f"acknowledged in {elapsed_ms} ms: {decision_id} of {TEST_AGENT_ID}")


def wait_until_stored(settings: Settings, decision_id: str, wait_seconds: float) -> Finding:
    """Whether it can be read soon."""
    began = time.monotonic()
    while True:
        rest = wait_seconds - (time.monotonic() - began)
        whole = max(0, min(_WAIT_SECONDS_MAX, int(settings.timeout_ms / 1000) - 1, round(rest)))
        answer = ask(settings, f"/v1/ingest/{decision_id}?wait={whole}")
        elapsed_ms = round((time.monotonic() - began) * 1000)
        if answer.status == 200:
            return ok("stored", f"after {elapsed_ms} ms")
        if answer.code == "route_not_found":
            return skipped("stored", "this gateway only takes decisions; ask the one that reads")
        if answer.code not in ("decision_not_found", "overloaded", "store_unavailable"):
            return _refused("stored", answer)
        if elapsed_ms >= wait_seconds * 1000:
            return failed(
                "stored",
                f"not within {wait_seconds:g} s",
                "It is acknowledged, so it is safe; whoever runs the gateway looks at the storage"
                " consumer.",
            )
        time.sleep(0.2)


def _refused(check: str, answer: Answer) -> Finding:
    status = answer.status
    if not answer.code:
        location = answer.headers.get("location")
        led = f" and leads to {location}" if location else ""
        return failed(
            check,
            f"what is at this address is no Sluice gateway: it answers {status}{led}",
            "Look at SLUICE_BASE_URL; a proxy or a login page may be in between.",
        )
    title = answer.body.get("title", "")
    hint = _HINTS.get(answer.code, "Try again; if it stays, show this to whoever runs the gateway.")
    return failed(check, f"{status} {answer.code}: {title}", hint)
