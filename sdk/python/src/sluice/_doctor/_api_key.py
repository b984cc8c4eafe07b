"""API key format: `slk_<environment>_<id>_<secret><checksum>`, in base62.

The id has 12 characters, the secret 32 and the checksum 6. The checksum is the CRC32 of everything
before it, so an incomplete copy is detected without a request.
"""

from __future__ import annotations

import re
from zlib import crc32

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_CHARS = 6
_FORM = re.compile(r"slk_[a-z0-9]{1,16}_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}")


def find_key_flaw(api_key: str) -> str | None:
    """Describes what is wrong with the format of the key; None if it is well-formed."""
    if _FORM.fullmatch(api_key) is None:
        return f"its {len(api_key)} characters do not match slk_<environment>_<id>_<secret>"
    if api_key[-_CHECKSUM_CHARS:] != _checksum_of(api_key[:-_CHECKSUM_CHARS]):
        return "the checksum does not match: a character is missing or was changed"
    return None


def mask_key(api_key: str) -> str:
    """Returns the prefix of the key, which is safe to show, followed by an ellipsis."""
    match = re.match(r"slk_[a-z0-9]{1,16}_", api_key)
    return f"{match.group()}…" if match else "…"


def _checksum_of(body: str) -> str:
    rest = crc32(body.encode())
    text = ""
    for _ in range(_CHECKSUM_CHARS):
        rest, digit = divmod(rest, len(_ALPHABET))
        text = _ALPHABET[digit] + text
    return text
