"""Finding: the result of one doctor check."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True)
class Finding:
    """Never contains the API key or any payload."""

    check: str
    state: State
    detail: str
    hint: str | None = None
    """How to fix it; None unless the check failed."""


def ok(check: str, detail: str) -> Finding:
    return Finding(check, "ok", _printable(detail))


def failed(check: str, detail: str, hint: str) -> Finding:
    return Finding(check, "failed", _printable(detail), hint)


def skipped(check: str, detail: str) -> Finding:
    """Returns the finding for a check that could not run; this does not count as a failure."""
    return Finding(check, "skipped", _printable(detail))


def _printable(text: str) -> str:
    """Truncates text from a server and replaces control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "\ufffd", text[:_CHARACTERS_MAX])


_CHARACTERS_MAX = 1000
