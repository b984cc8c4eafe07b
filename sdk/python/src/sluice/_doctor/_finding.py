"""What one check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True)
class Finding:
    """Never holds the key, or anything of a payload."""

    check: str
    state: State
    detail: str
    """What was found."""
    hint: str | None = None
    """What to do next, when it failed."""


def ok(check: str, detail: str) -> Finding:
    """It is as it should be."""
    return Finding(check, "ok", detail)


def failed(check: str, detail: str, hint: str) -> Finding:
    """It is not, and this is what to do."""
    return Finding(check, "failed", detail, hint)


def skipped(check: str, detail: str) -> Finding:
    """It cannot be told, and that alone is no failure."""
    return Finding(check, "skipped", detail)
