"""Options: names, accepted values and defaults. Resolves settings from their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NoReturn, Optional, TypedDict

from sluice._option import Option, Value, parse

Redact = Callable[[dict[str, Any]], Optional[dict[str, Any]]]
OnError = Callable[[BaseException, dict[str, Any]], object]
OnDrop = Callable[[dict[str, Any]], object]


class InitOptions(TypedDict, total=False):
    """Keyword arguments of `init`. docs/reference.md explains each option."""

    api_key: str | None
    base_url: str | None
    agent_id: str | None
    domain: str | None
    disabled: bool | None
    debug: bool | None
    mode: str | None
    sample_rate: float | None
    batch_max_items: int | None
    batch_max_bytes: int | None
    batch_interval_ms: int | None
    queue_max_items: int | None
    queue_max_bytes: int | None
    queue_policy: str | None
    max_decision_bytes: int | None
    gzip_over_bytes: int | None
    timeout_ms: int | None
    retry_base_ms: int | None
    retry_cap_ms: int | None
    retry_max_attempts: int | None
    retry_budget_ms: int | None
    breaker_ms: int | None
    shutdown_ms: int | None
    handle_signals: bool | None
    redact: Redact | None
    on_error: OnError | None
    on_drop: OnDrop | None


def _integer(name: str, default: int, least: int, most: int) -> Option:
    return Option(name, "integer", default, least, most)


_MIB = 1 << 20
_HOUR_MS = 3_600_000
_TEN_MINUTES_MS = 600_000

OPTIONS = (
    Option("api_key", "text"),
    Option("base_url", "url"),
    Option("agent_id", "text"),
    Option("domain", "text"),
    Option("disabled", "flag", False),
    Option("debug", "flag", False),
    Option("mode", "choice", "auto", choices=("auto", "batched", "immediate")),
    Option("sample_rate", "number", 1, 0, 1),
    _integer("batch_max_items", 50, 1, 1000),
    _integer("batch_max_bytes", 512 << 10, 1024, 8 * _MIB),
    _integer("batch_interval_ms", 1000, 0, _TEN_MINUTES_MS),
    _integer("queue_max_items", 10_000, 1, 1_000_000),
    _integer("queue_max_bytes", 16 * _MIB, 1024, 1024 * _MIB),
    Option("queue_policy", "choice", "drop-oldest", choices=("drop-oldest", "drop-newest")),
    _integer("max_decision_bytes", _MIB, 1024, 4 * _MIB),
    _integer("gzip_over_bytes", 1024, 0, 1024 * _MIB),
    _integer("timeout_ms", 15_000, 1, _TEN_MINUTES_MS),
    _integer("retry_base_ms", 250, 0, _TEN_MINUTES_MS),
    _integer("retry_cap_ms", 30_000, 0, _TEN_MINUTES_MS),
    _integer("retry_max_attempts", 30, 1, 1000),
    _integer("retry_budget_ms", 300_000, 0, 24 * _HOUR_MS),
    _integer("breaker_ms", 60_000, 0, _HOUR_MS),
    _integer("shutdown_ms", 5000, 0, _TEN_MINUTES_MS),
    Option("handle_signals", "flag", False),
)

CALLBACKS = ("redact", "on_error", "on_drop")

# Environment variables of hosts that may freeze a process after a response.
_FREEZING_HOSTS = ("AWS_LAMBDA_FUNCTION_NAME", "VERCEL", "K_SERVICE", "FUNCTIONS_WORKER_RUNTIME")


@dataclass(frozen=True)
class Settings:
    """The resolved value of every option."""

    api_key: str | None = field(repr=False)
    base_url: str | None
    agent_id: str | None
    domain: str | None
    disabled: bool
    debug: bool
    mode: str
    sample_rate: float
    batch_max_items: int
    batch_max_bytes: int
    batch_interval_ms: int
    queue_max_items: int
    queue_max_bytes: int
    queue_policy: str
    max_decision_bytes: int
    gzip_over_bytes: int
    timeout_ms: int
    retry_base_ms: int
    retry_cap_ms: int
    retry_max_attempts: int
    retry_budget_ms: int
    breaker_ms: int
    shutdown_ms: int
    handle_signals: bool
    redact: Redact | None = None
    on_error: OnError | None = None
    on_drop: OnDrop | None = None
    warnings: tuple[str, ...] = field(default=())


def resolve(given: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """Resolves each setting: option, environment, default. An invalid value causes a warning."""
    warnings = [_unknown(name) for name in given if name not in _NAMES]
    values: dict[str, Any] = {
        option.name: _choose(option, given, environ, warnings) for option in OPTIONS
    }
    for name in CALLBACKS:
        values[name] = _callback(name, given.get(name), warnings)
    if values["mode"] == "auto":
        freezing = any(environ.get(name) for name in _FREEZING_HOSTS)
        values["mode"] = "immediate" if freezing else "batched"
    return Settings(**values, warnings=tuple(warnings))


_NAMES = frozenset([*(option.name for option in OPTIONS), *CALLBACKS])


def _choose(
    option: Option, given: Mapping[str, Any], environ: Mapping[str, str], warnings: list[str]
) -> Value:
    # A secret read from a file often ends with a newline.
    variable = environ.get(option.env, "").strip()
    sources = ((option.name, given.get(option.name)), (option.env, variable or None))
    for source, raw in sources:
        if raw is None:
            continue
        value = parse(option, raw)
        if value is not None:
            return value
        warnings.append(f"{source} must be {option.accepted}; using {_shown(option.default)}")
        return option.default
    return option.default


def _shown(default: Value) -> str:
    return str(default).lower()


def _callback(name: str, value: Any, warnings: list[str]) -> Any:
    if value is None or callable(value):
        return value
    if name == "redact":
        warnings.append("redact must be a function; every decision is dropped")
        return _refuse
    warnings.append(f"{name} must be a function")
    return None


def _refuse(_: dict[str, Any]) -> NoReturn:
    """Stands in for a redact that is not a function, so that nothing is sent unredacted."""
    raise TypeError("redact is not a function")


def _unknown(name: str) -> str:
    import difflib

    nearest = difflib.get_close_matches(name, _NAMES, 1, 0)
    return f"unknown option {name} (did you mean {nearest[0]}?)"
