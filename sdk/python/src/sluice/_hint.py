"""What somebody can do about a request that failed."""

from __future__ import annotations

from urllib.parse import urlsplit

from sluice._answer import Verdict
from sluice._options import Settings


def hint_of(settings: Settings, verdict: Verdict) -> str:
    """For people; it holds no secret."""
    if verdict.told[:3] in ("401", "403"):
        return f"check SLUICE_API_KEY ({_shown(settings.api_key or '')})"
    address = urlsplit(settings.base_url or "").netloc
    if verdict.is_misconfigured:
        return f"check SLUICE_BASE_URL ({address})"
    if not verdict.is_again:
        return f"{address} refused it for good; docs/errors.md of Sluice says why"
    if verdict.told[:3].isdigit():
        return f"{address} cannot take decisions now; they are kept and tried again"
    return f"{address} cannot be reached; decisions are kept and tried again"


def _shown(key: str) -> str:
    """As much of a key as tells which kind it is."""
    parts = key.split("_")
    is_key = len(parts) > 2 and parts[0] == "slk"
    return f"slk_{parts[1][:16]}_…" if is_key else "it does not begin with slk_"
