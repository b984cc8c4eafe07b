"""What one check found."""

from __future__ import annotations

import re
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
    return Finding(check, "ok", _printable(detail))


def failed(check: str, detail: str, hint: str) -> Finding:
    """It is not, and this is what to do."""
    return Finding(check, "failed", _printable(detail), hint)


def skipped(check: str, detail: str) -> Finding:
    """It cannot be told, and that alone is no failure."""
    return Finding(check, "skipped", _printable(detail))


def _printable(text: str) -> str:
    """What somebody answered may hold codes that a terminal obeys, and be as long as they like."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "\ufffd", text[:_CHARACTERS_MAX])


_CHARACTERS_MAX = 1000
