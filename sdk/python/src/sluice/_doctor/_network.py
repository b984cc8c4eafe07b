"""Network checks: the host name, port and TLS certificate of the gateway."""

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
    """Checks that the host name resolves."""
    host, port, via = _target(settings)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return failed(
            "dns",
            f"{via}{host} cannot be resolved: {error}",
            "Check the spelling of SLUICE_BASE_URL. If it is correct, check your DNS or VPN.",
        )
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    return ok("dns", f"{via}{host} resolves to {', '.join(addresses[:3])}")


def check_connection(settings: Settings) -> Finding:
    """Checks that the port accepts connections and, for https, that the certificate is trusted."""
    host, port, via = _target(settings)
    began = time.perf_counter()
    try:
        with socket.create_connection((host, port), settings.timeout_ms / 1000) as plain:
            secured = "" if via else _secure(settings, plain)
    except ssl.SSLError as error:
        return failed(
            "connection",
            f"the TLS handshake with {host}:{port} failed: {error}",
            "If the gateway does not use TLS, set SLUICE_BASE_URL to http://. For a private"
            " certificate authority, set SSL_CERT_FILE.",
        )
    except OSError as error:
        return failed(
            "connection",
            f"cannot connect to {via}{host}:{port}: {error}",
            "Check the port in SLUICE_BASE_URL, that the gateway is running, and your firewall.",
        )
    elapsed_ms = round((time.perf_counter() - began) * 1000)
    return ok("connection", f"connected to {via}{host}:{port} in {elapsed_ms} ms{secured}")


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
    return f", certificate valid until {at:%Y-%m-%d}"


def _target(settings: Settings) -> tuple[str, int, str]:
    """Returns the host and port to connect to, and "proxy " if they belong to a proxy."""
    parts = urlsplit(settings.base_url or "")
    host = parts.hostname or ""
    proxy = proxy_of(parts.scheme, host)
    if proxy is None:
        return host, parts.port or _PORTS[parts.scheme], ""
    through = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return through.hostname or "", through.port or 8080, "proxy "
