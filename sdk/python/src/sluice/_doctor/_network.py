"""Checks of the way to the gateway: its name, its port, its certificate."""

from __future__ import annotations

import socket
import ssl
import time
from datetime import datetime, timezone
from urllib.parse import urlsplit

from sluice._doctor._finding import Finding, failed, ok
from sluice._options import Settings
from sluice._proxy import proxy_of

_PORTS = {"http": 80, "https": 443}


def check_dns(settings: Settings) -> Finding:
    """Whether the host has an address."""
    host, port, via = _target(settings)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return failed(
            "dns",
            f"{via}{host} has no address: {error}",
            "Look at SLUICE_BASE_URL for a typing error; else ask who runs your DNS, or VPN.",
        )
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    return ok("dns", f"{via}{host} is {', '.join(addresses[:3])}")


def check_connection(settings: Settings) -> Finding:
    """Whether the port answers, and for https whether the certificate can be trusted."""
    host, port, via = _target(settings)
    began = time.perf_counter()
    try:
        with socket.create_connection((host, port), settings.timeout_ms / 1000) as plain:
            secured = "" if via else _secure(settings, plain)
    except ssl.SSLError as error:
        return failed(
            "connection",
            f"{host}:{port} answers, but not with TLS that can be trusted: {error}",
            "A gateway without TLS has http:// in SLUICE_BASE_URL; for a certificate of your own"
            " authority set SSL_CERT_FILE.",
        )
    except OSError as error:
        return failed(
            "connection",
            f"{via}{host}:{port} cannot be reached: {error}",
            "Look at the port of SLUICE_BASE_URL, whether the gateway runs, and for a firewall.",
        )
    elapsed_ms = round((time.perf_counter() - began) * 1000)
    return ok("connection", f"{via}{host}:{port} answers in {elapsed_ms} ms{secured}")


def _secure(settings: Settings, plain: socket.socket) -> str:
    parts = urlsplit(settings.base_url or "")
    if parts.scheme != "https":
        return ", without TLS"
    context = ssl.create_default_context()
    with context.wrap_socket(plain, server_hostname=parts.hostname) as secured:
        ends = str((secured.getpeercert() or {}).get("notAfter", ""))
        return f", {secured.version()}{_until(ends)}"


def _until(ends: str) -> str:
    if not ends:
        return ""
    at = datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), timezone.utc)
    return f", certificate until {at:%Y-%m-%d}"


def _target(settings: Settings) -> tuple[str, int, str]:
    """Host and port to connect to, and a word if that is a proxy."""
    parts = urlsplit(settings.base_url or "")
    host = parts.hostname or ""
    proxy = proxy_of(parts.scheme, host)
    if proxy is None:
        return host, parts.port or _PORTS[parts.scheme], ""
    through = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return through.hostname or "", through.port or 8080, "proxy "
