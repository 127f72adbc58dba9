"""The store's own key: with it, and only with it, a question can be recognised in the audit.

What was asked is not in the log; a keyed digest of it is. A plain hash of a short question could be guessed.
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from pathlib import Path

_BYTES = 32
_DIGEST = 32
"""Hexadecimal digits of a digest: 128 bits."""
_PATIENCE = 1.0


def digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256 of a text, its first 128 bits."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]


class Key:
    """A random key in a file that only its owner may read; a store in memory keeps it in memory."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._value = secrets.token_bytes(_BYTES) if path is None else b""

    def digest(self, text: str) -> str:
        """The keyed digest of a text; "" when the key can be neither read nor made."""
        if not self._value:
            try:
                self._value = self._read() or self._make()
            except OSError:
                return ""
        return digest(self._value, text) if self._value else ""

    def _read(self) -> bytes:
        place = Path(str(self.path))
        until = time.monotonic() + _PATIENCE
        # Whoever makes the file writes it right after: an empty one is being made.
        while place.exists() and time.monotonic() < until:
            value = place.read_bytes()
            if len(value) == _BYTES:
                return value
            time.sleep(0.001)
        return b""

    def _make(self) -> bytes:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(str(self.path), flags, 0o600)
        except FileExistsError:
            return self._read()
        value = secrets.token_bytes(_BYTES)
        try:
            os.write(descriptor, value)
        finally:
            os.close(descriptor)
        return value
