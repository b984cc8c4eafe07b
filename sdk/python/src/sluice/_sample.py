"""Sampling: decides which decisions are sent; a session is sent whole or not at all."""

from __future__ import annotations

_WORD = 0xFFFFFFFF


def is_sampled(key: str, rate: float) -> bool:
    """Returns the same result for the same key in every SDK."""
    return rate >= 1 or _hash(key) / (_WORD + 1) < rate


def _hash(key: str) -> int:
    """FNV-1a with the finalizer of murmur3, because FNV-1a alone distributes short texts poorly."""
    value = 0x811C9DC5
    for byte in key.encode("utf-8", "replace"):
        value = ((value ^ byte) * 0x01000193) & _WORD
    value = ((value ^ value >> 16) * 0x85EBCA6B) & _WORD
    value = ((value ^ value >> 13) * 0xC2B2AE35) & _WORD
    return value ^ value >> 16
