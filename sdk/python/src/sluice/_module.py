"""Module functions, which use the most recently initialized client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

from sluice._client import Client
from sluice._observe import Observe
from sluice._stats import FlushResult, Stats
from sluice._trace import StartTrace
from sluice._uuid7 import new_id

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sluice._decision import DecisionFields
    from sluice._options import InitOptions

_client: Client | None = None
_has_warned = False


def init(**options: Unpack[InitOptions]) -> Client:
    """Starts a client, which the functions of the module then use.

    Unset options are read from the environment, for example api_key from SLUICE_API_KEY.
    docs/reference.md lists all options.
    """
    global _client
    _client = Client(**options)
    return _client


def current_client() -> Client | None:
    """Returns the most recently initialized client. Without one, warns once and returns None."""
    global _has_warned
    if _client is None and not _has_warned:
        _has_warned = True
        print("sluice: call sluice.init() first; until then nothing is sent", file=sys.stderr)
    return _client


def log(*unnamed: NoReturn, **fields: Unpack[DecisionFields]) -> str:
    """See `Client.log`."""
    client = current_client()
    return new_id() if client is None else client.log(*unnamed, **fields)


observe = Observe(log)
trace = StartTrace(log)


def flush(timeout_ms: float | None = None) -> FlushResult:
    """See `Client.flush`."""
    client = current_client()
    return FlushResult(0, 0, 0, 0) if client is None else client.flush(timeout_ms)


def stats() -> Stats:
    """See `Client.stats`."""
    client = current_client()
    if client is None:
        return Stats(0, 0, {}, 0, 0, 0, 0, 0, 0, None, None)
    return client.stats()


def close() -> None:
    """See `Client.close`."""
    client = current_client()
    if client is not None:
        client.close()
