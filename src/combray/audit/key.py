"""The store's key for digests of queries.

The audit holds a keyed digest of each query instead of its text. A plain hash of a short query could be guessed.
"""

from __future__ import annotations

import errno
import hmac
import os
from contextlib import suppress
from pathlib import Path

from combray.audit.locking import locked

_BYTES = 32
_MOST_BYTES = 65_536
"""Read of a key file that was written by hand."""
_DIGEST = 32
"""Hexadecimal digits of a digest: 128 bits."""
_BINARY = getattr(os, "O_BINARY", 0)


def digest(key: bytes, text: str) -> str:
    """Return the first 128 bits of the HMAC-SHA-256 of a text, as hexadecimal digits."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]


class AuditKey:
    """A random key in a file that only its owner may read, or in memory for a store in memory.

    The file is created atomically. If several processes create it at once, all use the same key.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._place = Path(str(path))
        self._value = os.urandom(_BYTES) if path is None else b""
        self._keyed: hmac.HMAC | None = None

    def digest(self, text: str) -> str:
        """Return the keyed digest of a text, "" if the key can be neither read nor created."""
        if not self._value:
            try:
                self._value = self._read() or self._make()
            except OSError:
                return ""
        if self._keyed is None:
            # Creating the HMAC object takes longer than the digest itself.
            self._keyed = hmac.new(self._value, digestmod="sha256")
        keyed = self._keyed.copy()
        keyed.update(text.encode("utf-8", "surrogatepass"))
        return keyed.hexdigest()[:_DIGEST]

    def _read(self) -> bytes:
        """Return the key, "" if the file is missing or too short."""
        try:
            descriptor = os.open(self._place, os.O_RDONLY | _BINARY)
        except FileNotFoundError:
            return b""
        try:
            # One read: a second one could append the end of what another process writes in between.
            value = os.read(descriptor, _MOST_BYTES)
        finally:
            os.close(descriptor)
        return value if len(value) >= _BYTES else b""

    def _make(self) -> bytes:
        """Write a key to a draft and link it to its name, unless another process was first. Raises OSError."""
        draft = self._place.with_name(f"{self._place.name}.{os.urandom(8).hex()}")
        value = os.urandom(_BYTES)
        try:
            # Flushed before the link: a power cut must not leave an empty key file.
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
            try:
                if os.write(descriptor, value) != len(value):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(draft))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            try:
                os.link(draft, self._place)
            except OSError:
                # The name exists, or the file system has no hard links.
                self._fill(value)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        # Another process may have won.
        value = self._read()
        if not value:
            raise OSError(f"{self.path}: no key could be written")
        return value

    def _fill(self, value: bytes) -> None:
        """Write the key under the file's lock, unless the file holds one. A full disk leaves an empty file."""
        descriptor = os.open(self._place, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
        try:
            with locked(descriptor):
                if not self._read():
                    os.lseek(descriptor, 0, os.SEEK_SET)
                    os.write(descriptor, value)
                    os.fsync(descriptor)
        finally:
            os.close(descriptor)
