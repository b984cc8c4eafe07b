"""All checks in order; what needs something that failed is not tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sluice._doctor._api_key import flaw_of, shown
from sluice._doctor._ask import Answer, Unreachable, ask
from sluice._doctor._finding import Finding, failed, ok
from sluice._doctor._gateway import check_clock, check_key_accepted, send_test, wait_until_stored
from sluice._doctor._network import check_connection, check_dns
from sluice._options import Settings
from sluice._uuid7 import new_id

Check = Callable[[], Finding]


def examine(settings: Settings, wait_seconds: float) -> Iterator[Finding]:
    """Yields each finding as it is made, and ends at the first that leaves nothing more to try."""
    yield from _findings_of_settings(settings)
    if settings.base_url is None:
        return
    for check in (check_dns, check_connection):
        finding = check(settings)
        yield finding
        if finding.state == "failed":
            return
    if settings.api_key is None or flaw_of(settings.api_key) is not None:
        return
    yield from _ask_gateway(settings, wait_seconds)


def _findings_of_settings(settings: Settings) -> Iterator[Finding]:
    for warning in settings.warnings:
        yield failed("settings", warning, "Until it is mended, the default is used.")
    if settings.disabled:
        yield failed("settings", "disabled is true: nothing is sent", "Unset SLUICE_DISABLED.")
    if settings.base_url is None:
        hint = "Set SLUICE_BASE_URL, such as https://sluice.example.com."
        yield failed("settings", "there is no address of a gateway", hint)
    else:
        yield ok("settings", f"the gateway is {settings.base_url}")
    yield _check_key(settings.api_key)


_COPY_AGAIN = "Copy it again: whole, and without quotes or anything else around it."


def _check_key(api_key: str | None) -> Finding:
    if api_key is None:
        hint = "Set SLUICE_API_KEY; an admin of the organization makes keys."
        return failed("key", "there is no API key", hint)
    flaw = flaw_of(api_key)
    if flaw is not None:
        return failed("key", f"{shown(api_key)} cannot be right: {flaw}", _COPY_AGAIN)
    return ok("key", f"{shown(api_key)} was copied whole")


def _ask_gateway(settings: Settings, wait_seconds: float) -> Iterator[Finding]:
    answers: list[Answer] = []

    def check_scope() -> Finding:
        answers.append(ask(settings, "/v1/auth/whoami"))
        return check_key_accepted(answers[0])

    scope = _guard("scope", check_scope)
    yield scope
    if answers:
        yield check_clock(answers[0])
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
        hint = "Look at the port of SLUICE_BASE_URL, and at what is between here and the gateway."
        return failed(name, f"there was no answer: {error}", hint)
