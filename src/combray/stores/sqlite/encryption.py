"""Encryption at rest: the key, the driver that knows how to use it, and which file is encrypted.

The driver is SQLCipher 4 (extra `encryption`): every page of file, log and backup with AES-256 and its own
HMAC-SHA512. Where no key is given nothing of it is imported.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sqlite3
import sys
import zlib
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from combray.errors import EncryptionError, InvalidInputError, MissingExtraError
from combray.stores.sqlite import sql

SALT_BYTES = 16
"""SQLCipher's: they are the first of the file, in the clear."""
ROUNDS = 256_000
"""Of PBKDF2-HMAC-SHA512 over a passphrase: SQLCipher 4's default (PRAGMA kdf_iter)."""
SHORTEST = 12
"""Characters of a passphrase: the rounds slow a guesser down, but do not stop one."""

_DRIVER = "sqlcipher3.dbapi2"
_RAW = re.compile(r"[0-9a-fA-F]{64}")
_PLAIN = b"SQLite format 3\x00"
"""What stands in the place of a salt in a file that is not encrypted."""
_NO_KEY = f"PRAGMA key = \"x'{'00' * 32}'\""
"""Enough to ask for the salt without the rounds of a passphrase."""
_PAGE = 4096


@dataclass(frozen=True)
class Key:
    """A raw 256-bit key, or a passphrase that becomes one with the salt of the file. Never shown."""

    raw: bytes = field(default=b"", repr=False)
    passphrase: str = field(default="", repr=False)

    def pragma(self, salt: bytes) -> str:
        """The statement that unlocks a file of that salt. Hexadecimal digits only: nothing to quote."""
        return f"PRAGMA key = \"x'{self.bytes(salt).hex()}{salt.hex()}'\""

    def bytes(self, salt: bytes) -> bytes:
        """The 32 bytes that encrypt. Derived here, once a file, as SQLCipher would at every connection."""
        if self.raw:
            return self.raw
        known = _derived.get((self.passphrase, salt))
        if known is None:
            known = hashlib.pbkdf2_hmac("sha512", self.passphrase.encode(), salt, ROUNDS, 32)
            _derived[self.passphrase, salt] = known
        return known


_derived: dict[tuple[str, bytes], bytes] = {}


def key_from(value: str | bytes, name: str = "key") -> Key:
    """32 bytes or 64 hexadecimal digits are a raw key, other text is a passphrase. Raises InvalidInputError."""
    if isinstance(value, bytes):
        if len(value) != 32:
            raise InvalidInputError(name, f"has {len(value)} bytes.", "Give 32 bytes, or a passphrase as text.")
        return Key(raw=value)
    if not isinstance(value, str):
        raise InvalidInputError(name, f"is of type {type(value).__name__}.", "Give 32 bytes or a text.")
    if _RAW.fullmatch(value):
        return Key(raw=bytes.fromhex(value))
    if len(value) < SHORTEST or not value.isprintable():
        raise InvalidInputError(
            name,
            f"is too short or holds characters that cannot be typed ({len(value)} characters).",
            f"Use at least {SHORTEST} printable characters, or 64 hexadecimal digits ('openssl rand -hex 32').",
        )
    return Key(passphrase=value)


def errors(name: str = "Error") -> tuple[type[Exception], ...]:
    """The exceptions of that name of the drivers in use: SQLCipher's are of no kind of sqlite3's."""
    plain: type[Exception] = getattr(sqlite3, name)
    cipher = sys.modules.get(_DRIVER)
    return (plain,) if cipher is None else (plain, getattr(cipher, name))


def encrypted_driver() -> Any:
    """SQLCipher as a module like sqlite3. Raises MissingExtraError."""
    try:
        import sqlcipher3.dbapi2 as driver
    except ImportError as error:
        raise MissingExtraError("an encrypted store", "encryption") from error
    return driver


def unlock(connection: Any, path: str, key: Key) -> None:
    """Give a new connection the key, and see that it fits. Raises EncryptionError.

    The file is looked at through SQLCipher alone (`holding.py` says why).
    """
    # It writes every failed decryption to the standard error, which is a client's, or a terminal.
    connection.execute("PRAGMA cipher_log_level = NONE")
    salt = _salt(connection)
    if salt == _PLAIN:
        raise EncryptionError(
            f"{path}: is not encrypted, and a key was given. Unset COMBRAY_KEY to open it; "
            f"to encrypt it, set COMBRAY_NEW_KEY and run: combray backup NEW-FILE --encrypt"
        )
    try:
        connection.execute(key.pragma(salt))
        connection.execute(sql.file.probe).fetchone()
    except errors("DatabaseError") as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_NOTADB:
            raise
        raise EncryptionError(
            f"{path}: the key does not fit; or the file is damaged at its beginning, or is no encrypted store. "
            f"Check COMBRAY_KEY, or restore a backup."
        ) from None


def _salt(connection: Any) -> bytes:
    """The salt of the file, or a fresh one for an empty file."""
    connection.execute(_NO_KEY)
    return bytes.fromhex(connection.execute("PRAGMA cipher_salt").fetchone()[0])


def looks_encrypted(path: str) -> bool:
    """Whether a file that is no SQLite database may be an encrypted one: whole pages that nothing compresses."""
    try:
        with Path(path).open("rb") as file:
            page = file.read(_PAGE)
            size = file.seek(0, os.SEEK_END)
    except OSError:
        return False
    return size >= _PAGE and size % _PAGE == 0 and len(zlib.compress(page)) >= _PAGE


def write_encrypted(plain: str, target: str, key: Key) -> None:
    """An encrypted copy of a plain store that nobody has open. Raises MissingExtraError, the driver's errors."""
    with closing(encrypted_driver().connect(plain, isolation_level=None)) as connection:
        version, application = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
        )
        salt = secrets.token_bytes(SALT_BYTES)
        place = f"x'{key.bytes(salt).hex()}{salt.hex()}'"
        connection.execute("ATTACH DATABASE ? AS copy KEY ?", (target, place))
        connection.execute(sql.file.export)
        connection.execute(f"PRAGMA copy.user_version = {version}")
        connection.execute(f"PRAGMA copy.application_id = {application}")
        connection.execute("DETACH DATABASE copy")
