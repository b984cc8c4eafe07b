"""Converts integers of any size to digits and back, faster than Python for long integers."""

from __future__ import annotations

import decimal
from decimal import Decimal

_PLAIN_BITS = 4096
_PLAIN_DIGITS = 640
"""The lowest limit that a host can set with sys.set_int_max_str_digits."""

_EXACT = decimal.Context(
    prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.Inexact]
)


def digits_of(number: int) -> str:
    """Converts an integer in halves, because Python's conversion takes quadratic time."""
    powers: dict[int, Decimal] = {}

    def power_of_two(bits: int) -> Decimal:
        if bits not in powers:
            powers[bits] = _EXACT.power(Decimal(2), bits)
        return powers[bits]

    def convert(part: int, bits: int) -> Decimal:
        if bits <= _PLAIN_BITS:
            return Decimal(part)
        low_bits = bits // 2
        high, low = part >> low_bits, part & ((1 << low_bits) - 1)
        raised = _EXACT.multiply(convert(high, bits - low_bits), power_of_two(low_bits))
        return _EXACT.add(raised, convert(low, low_bits))

    text = format(convert(abs(number), number.bit_length()), "f")
    return f"-{text}" if number < 0 else text


def integer_of(digits: str) -> int:
    """Parses an integer of any length, in halves."""
    if len(digits) <= _PLAIN_DIGITS:
        return int(digits)
    if digits.startswith("-"):
        return -integer_of(digits[1:])
    low_digits = len(digits) // 2
    high, low = integer_of(digits[:-low_digits]), integer_of(digits[-low_digits:])
    scale: int = 10**low_digits
    return high * scale + low
