"""`python -m sluice doctor`: diagnoses why decisions do not arrive."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from sluice._doctor._finding import Finding
from sluice._doctor._run_checks import run_checks
from sluice._options import resolve
from sluice._version import SDK_VERSION

_MARKS = {"ok": "✓", "failed": "✗", "skipped": "–"}
_ASCII_MARKS = {"ok": "ok  ", "failed": "FAIL", "skipped": "-   "}
_EPILOG = """\
The API key and the URL are read from SLUICE_API_KEY and SLUICE_BASE_URL, as by your program.
The command sends one decision of the agent sluice-doctor. It exits with 0 if all checks passed,
otherwise with 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    given = _parser().parse_args(arguments)
    options = {} if given.base_url is None else {"base_url": given.base_url}
    settings = resolve(options, os.environ)
    findings: list[Finding] = []
    if not given.json:
        _print(f"sluice doctor, {SDK_VERSION}")
    for finding in run_checks(settings, given.wait):
        findings.append(finding)
        if not given.json:
            _print(*_lines_of(finding))
    is_passed = all(finding.state != "failed" for finding in findings)
    if given.json:
        report = {"ok": is_passed, "sdk_version": SDK_VERSION, "checks": [*map(asdict, findings)]}
        print(json.dumps(report, indent=2))
    else:
        passed, failed = "All checks passed.", "Some checks failed: see the lines above."
        _print(passed if is_passed else failed)
    return 0 if is_passed else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sluice-sdk", description="The Sluice SDK.")
    commands = parser.add_subparsers(required=True, metavar="doctor")
    doctor = commands.add_parser(
        "doctor",
        help="check why decisions do not arrive",
        description="Checks each step that a decision passes on its way to storage, and says how"
        " to fix what fails.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor.add_argument("--base-url", help="URL of the gateway (default: SLUICE_BASE_URL)")
    doctor.add_argument(
        "--wait",
        type=_seconds,
        default=30,
        metavar="SECONDS",
        help="maximum time to wait until the test decision is stored (default: 30)",
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
    """Prints the lines, with words instead of marks if the encoding of stdout lacks ✓."""
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
