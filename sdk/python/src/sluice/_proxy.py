"""The proxy that the environment names for an address, if any."""

from __future__ import annotations

import os
from urllib.parse import unquote


def proxy_of(scheme: str, host: str) -> str | None:
    names = (f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY")
    if not any(os.environ.get(name) for name in names):
        return None
    from urllib.request import (  # type: ignore[attr-defined]
        getproxies_environment,
        proxy_bypass_environment,
    )

    proxies = getproxies_environment()
    proxy = proxies.get(scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass_environment(host) else proxy


def proxy_authorization(username: str | None, password: str | None) -> dict[str, str]:
    if username is None:
        return {}
    import base64

    pair = f"{unquote(username)}:{unquote(password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}
