"""Option: the accepted values of an option, and how they are parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union
from urllib.parse import urlsplit

Value = Union[str, int, float, bool, None]

_KEY = "an API key such as slk_live_…, unquoted"


@dataclass(frozen=True)
class Option:
    """An option that an environment variable can also set."""

    name: str
    kind: str
    default: Value = None
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()

    @property
    def env(self) -> str:
        return f"SLUICE_{self.name.upper()}"

    @property
    def accepted(self) -> str:
        """Describes the accepted values in a warning."""
        if self.kind == "text":
            return _KEY if self.name == "api_key" else "a non-empty text"
        if self.kind == "url":
            return "a URL such as https://sluice.example.com"
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        noun = "a number" if self.kind == "number" else "an integer"
        return f"{noun} from {self.least} to {self.most}"


def parse(option: Option, raw: Any) -> Value:
    """Returns the value; None if it is invalid."""
    return _PARSERS[option.kind](option, raw)


def _text(option: Option, raw: object) -> str | None:
    if not isinstance(raw, str) or not raw:
        return None
    if option.name == "api_key" and not all("!" <= character <= "~" for character in raw):
        return None
    return str(raw)


def _url(_: Option, raw: object) -> str | None:
    """Accepts a URL with or without a path, and removes trailing slashes."""
    if not isinstance(raw, str):
        return None
    try:
        parts = urlsplit(raw)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return None
    # An empty query would swallow the path appended later, so look for the question mark itself.
    if not valid or any(mark in raw for mark in "?#\\") or "@" in parts.netloc:
        return None
    return raw.rstrip("/") if all("!" <= character <= "~" for character in raw) else None


_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def _flag(_: Option, raw: object) -> bool | None:
    if isinstance(raw, bool):
        return raw
    return _FLAGS.get(raw.lower()) if isinstance(raw, str) else None


def _choice(option: Option, raw: object) -> str | None:
    return str(raw) if isinstance(raw, str) and raw in option.choices else None


# float() accepts other forms, which are probably mistakes.
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def _number(option: Option, raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        return None
    if isinstance(raw, str) and not _DECIMAL.fullmatch(raw):
        return None
    try:
        value = float(raw)
    except (ValueError, OverflowError):
        return None
    return value if option.least <= value <= option.most else None


def _whole(option: Option, raw: object) -> int | None:
    value = _number(option, raw)
    return int(value) if value is not None and value == int(value) else None


_PARSERS: dict[str, Callable[[Option, Any], Value]] = {
    "text": _text,
    "url": _url,
    "flag": _flag,
    "choice": _choice,
    "number": _number,
    "integer": _whole,
}
