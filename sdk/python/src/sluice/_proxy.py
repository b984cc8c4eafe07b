"""Finds the proxy that the environment sets for a URL."""

from __future__ import annotations

import base64
import os
from urllib.parse import unquote


def proxy_of(scheme: str, host: str) -> str | None:
    """Returns the URL of the proxy, with credentials if it has any; None without a proxy."""
    if not _names_any(scheme):
        return None
    from urllib.request import (  # type: ignore[attr-defined]
        getproxies_environment,
        proxy_bypass_environment,
    )

    proxies = getproxies_environment()
    proxy = proxies.get(scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass_environment(host) else proxy


def proxy_authorization(username: str | None, password: str | None) -> dict[str, str]:
    """Returns the authorization header of a proxy; empty if it has no credentials."""
    if username is None:
        return {}
    pair = f"{unquote(username)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _names_any(scheme: str) -> bool:
    names = (f"{scheme}_proxy", "all_proxy")
    return any(os.environ.get(name) or os.environ.get(name.upper()) for name in names)


if _names_any("http") or _names_any("https"):
    # Imported now and not on a thread of the SDK, because a fork during an import leaves the child
    # with an import lock that is never released. Without a proxy the import is not needed.
    import urllib.request  # noqa: F401
