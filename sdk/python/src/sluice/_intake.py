"""Intake: encodes and queues a logged decision on the caller's thread."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sluice._decision import FIELDS, Invalid, Notes, agent_id_of, compose, decision_id_of
from sluice._encode import copy_plain
from sluice._notices import Notices
from sluice._options import Settings
from sluice._plain import TooLarge
from sluice._queue import Entry
from sluice._sample import is_sampled
from sluice._sender import Sender
from sluice._uuid7 import new_id
from sluice._version import SDK_VERSION
from sluice._wire import encode


class _Dropped(Exception):
    """Raised to drop a decision. Its argument is the drop reason."""


class Intake:
    """Accepts decisions from any thread. Never raises, regardless of the input."""

    def __init__(self, settings: Settings, sender: Sender, notices: Notices) -> None:
        self._settings = settings
        self._sender = sender
        self._notices = notices
        self._outer = {
            name: value
            for name, value in (("agent_id", settings.agent_id), ("domain", settings.domain))
            if value is not None
        }
        self._unknown: set[str] = set()

    def take(self, fields: Mapping[str, Any], context: Mapping[str, Any]) -> str:
        """Queues the decision or counts it as dropped, and returns its id."""
        decision_id = self._id_of(fields)
        outer = {**self._outer, **context} if context else self._outer
        # With redact, the agent of a dropped decision is unknown because redact may change it.
        agent_id = None if self._settings.redact else agent_id_of(fields, outer)
        try:
            if self._is_sampled_out(decision_id, fields, outer):
                self._sender.sample_out()
                return decision_id
            decision, notes = self._decide(decision_id, fields, outer)
            data, is_changed = encode(
                decision_id, decision, notes, self._settings.max_decision_bytes
            )
            self._sender.put(Entry(decision_id, data, decision.get("agent_id")), is_changed)
        except _Dropped as dropped:
            self._sender.drop(str(dropped), agent_id)
        except TooLarge:
            self._sender.drop("too_large", agent_id)
        except Invalid as error:
            self._drop_invalid(str(error), agent_id)
        except Exception as error:
            problem = f"a decision cannot be encoded ({type(error).__name__}): it was dropped"
            self._drop_invalid(problem, agent_id)
        return decision_id

    def reject_positional(self) -> str:
        """Drops a decision logged with positional arguments, and returns an id."""
        example = "log(input=…, output=…)"
        self._drop_invalid(f"log takes keyword arguments only, as in {example}", None)
        return new_id()

    def _id_of(self, fields: Mapping[str, Any]) -> str:
        given = fields.get("decision_id")
        own = None if given is None else decision_id_of(given)
        if own is None and given is not None:
            self._report("encode", "decision_id is not a UUID: a new one was made", 1)
        return own or new_id()

    def _is_sampled_out(
        self, decision_id: str, fields: Mapping[str, Any], outer: Mapping[str, Any]
    ) -> bool:
        rate = self._settings.sample_rate
        if rate >= 1:
            return False
        session_id = fields.get("session_id") or outer.get("session_id")
        return not is_sampled(str(session_id or decision_id), rate)

    def _decide(
        self, decision_id: str, fields: Mapping[str, Any], outer: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Notes]:
        """Returns the fields to encode, after `redact`."""
        if not FIELDS.issuperset(fields):
            self._warn_unknown(fields)
        decision, notes = compose(fields, outer)
        if self._settings.redact is None:
            return decision, notes
        copy = copy_plain(decision, notes, self._settings.max_decision_bytes)
        whole = {"decision_id": decision_id, **copy, "sdk_version": SDK_VERSION}
        return compose(self._redact(whole), {})

    def _redact(self, decision: dict[str, Any]) -> Mapping[str, Any]:
        try:
            result: Any = self._settings.redact(decision) if self._settings.redact else None
        except Exception as error:
            problem = f"redact raised {type(error).__name__}: the decision was dropped"
            self._report("redact", problem, 1)
            raise _Dropped("redact_error") from None
        if result is None:
            raise _Dropped("redacted")
        if not isinstance(result, Mapping):
            if inspect.iscoroutine(result):
                result.close()
            self._report("redact", "redact returned no decision: the decision was dropped", 1)
            raise _Dropped("redact_error")
        return result

    def _drop_invalid(self, problem: str, agent_id: str | None) -> None:
        self._report("encode", problem, 1)
        self._sender.drop("invalid", agent_id)

    def _warn_unknown(self, fields: Mapping[str, Any]) -> None:
        for name in fields.keys() - FIELDS - self._unknown:
            if len(self._unknown) < _UNKNOWN_MAX:
                self._unknown.add(name)
                hint = "left out; put it into metadata"
                self._report("config", f"unknown field {name[:100]!r}: {hint}", 1)

    def _report(self, stage: str, text: str, count: int) -> None:
        self._notices.error(stage, text, count)
        self._sender.deliver_notices()


_UNKNOWN_MAX = 20
