"""What `on_error` is called with."""

from __future__ import annotations


class SluiceError(Exception):
    """Something went wrong, and the host went on. The text holds no decision and no secret."""
