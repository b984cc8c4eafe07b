"""What somebody can do about a request that failed."""

from __future__ import annotations

from urllib.parse import urlsplit

from sluice._options import Settings
from sluice._verdict import Verdict

_ASK = "`python -m sluice doctor` finds out why"
_WAITS = "decisions wait in memory and are sent again"


def hint_of(settings: Settings, verdict: Verdict) -> str:
    """For people; it holds no secret."""
    status = verdict.told[:3]
    if status == "401":
        shown = _shown(settings.api_key or "")
        return f"it does not know the API key: check SLUICE_API_KEY ({shown}); {_ASK}"
    if status == "403":
        return f"the API key may not send decisions: it needs the scope ingest; {_ASK}"
    if status.startswith("3"):
        return "redirects are not followed: set SLUICE_BASE_URL to where it leads"
    address = urlsplit(settings.base_url or "").netloc
    if verdict.is_misconfigured:
        return f"there is no gateway at SLUICE_BASE_URL ({address}); {_ASK}"
    if not verdict.is_again:
        return f"{address} refused it for good; docs/errors.md of Sluice says why"
    if status == "429":
        return f"more is logged than the organization may send; {_WAITS}"
    if status.isdigit():
        return f"{address} cannot take decisions now; {_WAITS}"
    if "WRONG_VERSION_NUMBER" in verdict.told:
        return f"a gateway without TLS has http:// in SLUICE_BASE_URL; {_WAITS}; {_ASK}"
    check = f"is the gateway at {address} running, and is SLUICE_BASE_URL right?"
    return f"{check} {_WAITS}; {_ASK}"


def _shown(key: str) -> str:
    """As much of a key as tells which kind it is."""
    parts = key.split("_")
    is_key = len(parts) > 2 and parts[0] == "slk"
    return f"slk_{parts[1][:16]}_…" if is_key else "it does not begin with slk_"
