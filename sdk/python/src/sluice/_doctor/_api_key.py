"""The form of API keys: `slk_<environment>_<12 of id>_<32 of secret><6 of checksum>`, in base62.

The checksum is the CRC32 of everything before it, so a key that was not copied whole is known
without asking anybody.
"""

from __future__ import annotations

import re
from zlib import crc32

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS = 6
_FORM = re.compile(r"slk_[a-z0-9]{1,16}_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}")


def flaw_of(api_key: str) -> str | None:
    """What is wrong with the key as such; None when nothing is."""
    if _FORM.fullmatch(api_key) is None:
        return f"it has {len(api_key)} characters and not the form slk_<environment>_<id>_<secret>"
    if api_key[-_CHECKSUM_CHARS:] != _checksum_of(api_key[:-_CHECKSUM_CHARS]):
        return "its checksum is wrong: a character is missing or was changed"
    return None


def shown(api_key: str) -> str:
    """As much of a key as may be seen."""
    match = re.match(r"slk_[a-z0-9]{1,16}_", api_key)
    return f"{match.group()}…" if match else "…"


def _checksum_of(body: str) -> str:
    rest = crc32(body.encode())
    text = ""
    for _ in range(_CHECKSUM_CHARS):
        rest, digit = divmod(rest, len(_ALPHABET))
        text = _ALPHABET[digit] + text
    return text
