"""Which decisions are sent when not all are: all of a session, or none of it."""

from __future__ import annotations

_WORD = 0xFFFFFFFF


def is_sampled(key: str, rate: float) -> bool:
    """The same key is always answered alike, by every SDK."""
    return rate >= 1 or _hash(key) / (_WORD + 1) < rate


def _hash(key: str) -> int:
    """FNV-1a, finished like murmur3, since FNV alone spreads short texts badly."""
    value = 0x811C9DC5
    for byte in key.encode("utf-8", "replace"):
        value = ((value ^ byte) * 0x01000193) & _WORD
    value = ((value ^ value >> 16) * 0x85EBCA6B) & _WORD
    value = ((value ^ value >> 13) * 0xC2B2AE35) & _WORD
    return value ^ value >> 16
