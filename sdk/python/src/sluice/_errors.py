"""The error passed to `on_error`."""

from __future__ import annotations


class SluiceError(Exception):
    """A failure that did not disturb the host. The error text contains no payload or secret."""
