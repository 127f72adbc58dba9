"""The store's own key: with it, and only with it, a question can be recognised in the audit.

What was asked is not in the log; a keyed digest of it is. A plain hash of a short question could be guessed.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from combray.audit.locking import locked

_BYTES = 32
_DIGEST = 32
"""Hexadecimal digits of a digest: 128 bits."""
_BINARY = getattr(os, "O_BINARY", 0)


def digest(key: bytes, text: str) -> str:
    """HMAC-SHA-256 of a text, its first 128 bits."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]


class Key:
    """A random key in a file that only its owner may read; a store in memory keeps it in memory.

    The file is there whole or not at all. Of several processes that make it one wins, and all take that one's.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._value = secrets.token_bytes(_BYTES) if path is None else b""
        self._keyed: hmac.HMAC | None = None

    def digest(self, text: str) -> str:
        """The keyed digest of a text; "" when the key can be neither read nor made."""
        if not self._value:
            try:
                self._value = self._read() or self._make()
            except OSError:
                return ""
        if self._keyed is None:
            # Making one takes longer than all else about a digest.
            self._keyed = hmac.new(self._value, digestmod="sha256")
        keyed = self._keyed.copy()
        keyed.update(text.encode("utf-8", "surrogatepass"))
        return keyed.hexdigest()[:_DIGEST]

    @property
    def _place(self) -> Path:
        return Path(str(self.path))

    def _read(self) -> bytes:
        """The key that is there; "" for no file, and for one too short to be a key."""
        try:
            value = self._place.read_bytes()
        except FileNotFoundError:
            return b""
        return value if len(value) >= _BYTES else b""

    def _make(self) -> bytes:
        """Write a key beside the place and give it its name, unless somebody was quicker. Raises OSError."""
        draft = self._place.with_name(f"{self._place.name}.{secrets.token_hex(8)}")
        value = secrets.token_bytes(_BYTES)
        try:
            # On the disk before its name is there: a power cut must not leave the name of an empty file.
            _write_new(draft, value)
            try:
                os.link(draft, self._place)
            except OSError:
                # Something has the name, or this file system knows no second names.
                self._fill(value)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        # Whoever won: theirs counts.
        value = self._read()
        if not value:
            raise OSError(f"{self.path}: no key could be written")
        return value

    def _fill(self, value: bytes) -> None:
        """Write the key into a file that is there and holds none, such as a full disk has left.

        Under its lock, so that one of several processes does it and the others find a key.
        """
        descriptor = os.open(self._place, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
        try:
            with locked(descriptor):
                if not self._read():
                    os.lseek(descriptor, 0, os.SEEK_SET)
                    os.write(descriptor, value)
                    os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_new(path: Path, value: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        if os.write(descriptor, value) != len(value):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
