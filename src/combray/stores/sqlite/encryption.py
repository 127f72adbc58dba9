"""Encryption at rest: the key, the driver, and whether a file is encrypted.

The driver is SQLCipher 4 (extra `encryption`): every page of the file, its log and its backups is encrypted with
AES-256 and has its own HMAC-SHA512. Without a key nothing of it is imported.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

from combray.errors import EncryptionError, InvalidInputError, MissingExtraError
from combray.records import dataclass, field
from combray.stores.sqlite.sql import sql

SALT_BYTES = 16
"""The first bytes of an SQLCipher file, unencrypted."""
ROUNDS = 256_000
"""Rounds of PBKDF2-HMAC-SHA512 over a passphrase: SQLCipher 4's default (PRAGMA kdf_iter)."""
SHORTEST = 12
"""Minimum characters of a passphrase. The rounds slow down guessing, but do not prevent it."""

_DRIVER = "sqlcipher3.dbapi2"
_RAW = re.compile(r"[0-9a-fA-F]{64}")
_PLAIN = b"SQLite format 3\x00"
"""The first bytes of a file that is not encrypted, where an encrypted file has its salt."""
_NO_KEY = f"PRAGMA key = \"x'{'00' * 32}'\""
"""Enough to read the salt without deriving a key from a passphrase."""
_PAGE = 4096


@dataclass(frozen=True)
class Key:
    """A raw 256-bit key, or a passphrase from which one is derived with the file's salt. Never shown."""

    raw: bytes = field(default=b"", repr=False)
    passphrase: str = field(default="", repr=False)

    def pragma(self, salt: bytes) -> str:
        """Return the statement that unlocks a file of that salt. Hexadecimal digits need no quoting."""
        return f"PRAGMA key = \"x'{self.bytes(salt).hex()}{salt.hex()}'\""

    def bytes(self, salt: bytes) -> bytes:
        """Return the 32-byte key. Derived once per file; SQLCipher would derive it for every connection."""
        if self.raw:
            return self.raw
        known = _derived.get((self.passphrase, salt))
        if known is None:
            known = hashlib.pbkdf2_hmac("sha512", self.passphrase.encode(), salt, ROUNDS, 32)
            _derived[self.passphrase, salt] = known
        return known


_derived: dict[tuple[str, bytes], bytes] = {}


def key_from(value: str | bytes, name: str = "key") -> Key:
    """Return a raw key for 32 bytes or 64 hexadecimal digits, a passphrase for other text.

    Raises InvalidInputError.
    """
    if isinstance(value, bytes):
        if len(value) != 32:
            raise InvalidInputError(
                name, f"must have 32 bytes, got {len(value)}.", "Or give a passphrase as text."
            )
        return Key(raw=value)
    if not isinstance(value, str):
        raise InvalidInputError(name, f"must be bytes or text, got {type(value).__name__}.")
    if _RAW.fullmatch(value):
        return Key(raw=bytes.fromhex(value))
    if len(value) < SHORTEST or not value.isprintable():
        raise InvalidInputError(
            name,
            f"is too short or contains unprintable characters ({len(value)} characters).",
            f"Use at least {SHORTEST} printable characters, or 64 hexadecimal digits ('openssl rand -hex 32').",
        )
    return Key(passphrase=value)


def errors(name: str = "Error") -> tuple[type[Exception], ...]:
    """Return the exceptions of that name of the loaded drivers. SQLCipher's do not derive from sqlite3's."""
    plain: type[Exception] = getattr(sqlite3, name)
    cipher = sys.modules.get(_DRIVER)
    return (plain,) if cipher is None else (plain, getattr(cipher, name))


def encrypted_driver() -> Any:
    """Return SQLCipher's counterpart of the module sqlite3. Raises MissingExtraError."""
    try:
        import sqlcipher3.dbapi2 as driver
    except ImportError as error:
        raise MissingExtraError("an encrypted store", "encryption") from error
    return driver


def unlock(connection: Any, path: str, key: Key) -> None:
    """Give a new connection the key and check that it fits. Raises EncryptionError.

    The file is read through SQLCipher alone; `locks.py` explains why.
    """
    # SQLCipher would write every failed decryption to standard error.
    connection.execute("PRAGMA cipher_log_level = NONE")
    connection.execute(_NO_KEY)
    # Of an empty file this is a new salt.
    salt = bytes.fromhex(connection.execute("PRAGMA cipher_salt").fetchone()[0])
    if salt == _PLAIN:
        raise EncryptionError(
            f"{path}: is not encrypted, and a key was given. Unset COMBRAY_KEY to open it. "
            "To encrypt it, set COMBRAY_NEW_KEY and run: combray backup NEW-FILE --encrypt"
        )
    try:
        connection.execute(key.pragma(salt))
        connection.execute(sql.file.probe).fetchone()
    except errors("DatabaseError") as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_NOTADB:
            raise
        raise EncryptionError(
            f"{path}: the key does not fit, or the file is damaged or not an encrypted store. "
            "Check COMBRAY_KEY, or restore a backup."
        ) from None


def looks_encrypted(path: str) -> bool:
    """Return whether a file may be an encrypted database: whole pages of incompressible bytes."""
    try:
        with Path(path).open("rb") as file:
            page = file.read(_PAGE)
            size = file.seek(0, os.SEEK_END)
    except OSError:
        return False
    return size >= _PAGE and size % _PAGE == 0 and len(zlib.compress(page)) >= _PAGE


def write_encrypted(plain: str, target: str, key: Key) -> None:
    """Write an encrypted copy of a plain store that is not open. Raises MissingExtraError and driver errors."""
    with closing(encrypted_driver().connect(plain, isolation_level=None)) as connection:
        version, application = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
        )
        salt = os.urandom(SALT_BYTES)
        place = f"x'{key.bytes(salt).hex()}{salt.hex()}'"
        connection.execute("ATTACH DATABASE ? AS copy KEY ?", (target, place))
        connection.execute(sql.file.export)
        connection.execute(f"PRAGMA copy.user_version = {version}")
        connection.execute(f"PRAGMA copy.application_id = {application}")
        connection.execute("DETACH DATABASE copy")
