"""Runs the doctor's checks in order. A failed check skips the checks that depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sluice._doctor._api_key import find_key_flaw, mask_key
from sluice._doctor._finding import Finding, failed, ok
from sluice._doctor._gateway import check_clock, check_key_accepted, send_test, wait_until_stored
from sluice._doctor._network import check_connection, check_dns
from sluice._doctor._send_request import DoctorResponse, Unreachable, send_request
from sluice._options import Settings
from sluice._uuid7 import new_id

Check = Callable[[], Finding]


def run_checks(settings: Settings, wait_seconds: float) -> Iterator[Finding]:
    """Yields each finding. Stops after a failure that makes later checks useless."""
    yield from _check_settings(settings)
    if settings.base_url is None:
        return
    for check in (check_dns, check_connection):
        finding = check(settings)
        yield finding
        if finding.state == "failed":
            return
    if settings.api_key is None or find_key_flaw(settings.api_key) is not None:
        return
    yield from _check_with_gateway(settings, wait_seconds)


def _check_settings(settings: Settings) -> Iterator[Finding]:
    for warning in settings.warnings:
        yield failed("settings", warning, "Fix or remove the setting.")
    if settings.disabled:
        yield failed("settings", "disabled is true: nothing is sent", "Unset SLUICE_DISABLED.")
    if settings.base_url is None:
        hint = "Set SLUICE_BASE_URL, for example to https://sluice.example.com."
        yield failed("settings", "the base URL is not set", hint)
    else:
        yield ok("settings", f"the base URL is {settings.base_url}")
    yield _check_key(settings.api_key)


_COPY_HINT = "Copy the whole key again, without quotes or other characters around it."


def _check_key(api_key: str | None) -> Finding:
    if api_key is None:
        hint = "Set SLUICE_API_KEY. An admin of the organization creates API keys."
        return failed("key", "the API key is not set", hint)
    flaw = find_key_flaw(api_key)
    if flaw is not None:
        return failed("key", f"{mask_key(api_key)} is malformed: {flaw}", _COPY_HINT)
    return ok("key", f"{mask_key(api_key)} is well-formed")


def _check_with_gateway(settings: Settings, wait_seconds: float) -> Iterator[Finding]:
    responses: list[DoctorResponse] = []

    def check_scope() -> Finding:
        responses.append(send_request(settings, "/v1/auth/whoami"))
        return check_key_accepted(responses[0])

    scope = _guard("scope", check_scope)
    yield scope
    if responses:
        yield check_clock(responses[0])
    if scope.state == "failed":
        return
    decision_id = new_id()
    sent = _guard("send", partial(send_test, settings, decision_id))
    yield sent
    if sent.state == "ok":
        wait = partial(wait_until_stored, settings, decision_id, wait_seconds)
        yield _guard("stored", wait)


def _guard(name: str, check: Check) -> Finding:
    try:
        return check()
    except Unreachable as error:
        hint = (
            "Check the port in SLUICE_BASE_URL, and any proxy or firewall in front of the gateway."
        )
        return failed(name, f"no response: {error}", hint)
