"""The proxy that the environment names for an address, if any."""

from __future__ import annotations

import base64
import os
from urllib.parse import unquote


def proxy_of(scheme: str, host: str) -> str | None:
    """Its address, with a name and password if it needs them."""
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
    """The header for a proxy that wants to know who asks."""
    if username is None:
        return {}
    pair = f"{unquote(username)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _names_any(scheme: str) -> bool:
    names = (f"{scheme}_proxy", "all_proxy")
    return any(os.environ.get(name) or os.environ.get(name.upper()) for name in names)


if _names_any("http") or _names_any("https"):
    # Now, not on a thread of ours: a fork amid an import would leave the child with one that
    # never ends. Without a proxy it is not worth its time.
    import urllib.request  # noqa: F401
