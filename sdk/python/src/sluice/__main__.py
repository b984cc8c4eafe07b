"""`python -m sluice doctor`: finds out why decisions do not arrive."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from sluice._doctor._examine import examine
from sluice._doctor._finding import Finding
from sluice._options import resolve
from sluice._version import SDK_VERSION

_MARKS = {"ok": "✓", "failed": "✗", "skipped": "–"}
_ASCII_MARKS = {"ok": "ok  ", "failed": "FAIL", "skipped": "-   "}
_EPILOG = """\
The key and the address come from SLUICE_API_KEY and SLUICE_BASE_URL, as they do for your program.
It sends one decision of the agent sluice-doctor. It exits with 0 when all is well, else with 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    given = _parser().parse_args(arguments)
    options = {} if given.base_url is None else {"base_url": given.base_url}
    settings = resolve(options, os.environ)
    findings: list[Finding] = []
    if not given.json:
        _print(f"sluice doctor, {SDK_VERSION}")
    for finding in examine(settings, given.wait):
        findings.append(finding)
        if not given.json:
            _print(*_lines_of(finding))
    is_well = all(finding.state != "failed" for finding in findings)
    if given.json:
        report = {"ok": is_well, "sdk_version": SDK_VERSION, "checks": [*map(asdict, findings)]}
        print(json.dumps(report, indent=2))
    else:
        _print("All is well." if is_well else "Something is not well: see the lines above.")
    return 0 if is_well else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sluice-sdk", description="The SDK of Sluice.")
    commands = parser.add_subparsers(required=True, metavar="doctor")
    doctor = commands.add_parser(
        "doctor",
        help="find out why decisions do not arrive",
        description="Tries each thing that a decision needs on its way.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor.add_argument("--base-url", help="instead of SLUICE_BASE_URL")
    doctor.add_argument(
        "--wait", type=_seconds, default=30, metavar="SECONDS", help="for it to be stored (30)"
    )
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 86_400:
        raise ValueError(text)
    return value


def _lines_of(finding: Finding) -> list[str]:
    line = f"{_MARKS[finding.state]} {finding.check:<10} {finding.detail}"
    return [line] if finding.hint is None else [line, f"    → {finding.hint}"]


def _print(*lines: str) -> None:
    """An output that knows no ✓ gets words instead."""
    text = "\n".join(lines)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        for state, mark in _MARKS.items():
            text = text.replace(mark, _ASCII_MARKS[state])
        text = text.replace("→", "->").encode("ascii", "replace").decode()
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
