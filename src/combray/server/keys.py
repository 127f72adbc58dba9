"""Keys of the service: who holds one, what it may do, and whether a given key is valid.

A key is `cmb_ID_SECRET`. Its file keeps a salted scrypt hash (RFC 7914) of the secret, never the secret. A
verified key is remembered in memory by an HMAC under a key of the process, so scrypt runs once for each key.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Literal, cast

import msgspec

from combray.audit.locking import locked
from combray.engine.namespace import check_namespace
from combray.errors import InvalidInputError, brief
from combray.folders import data_folder
from combray.records import dataclass
from combray.settings import default_location
from combray.values import one_of
from combray.verbs.declaration import RIGHTS

FORM = re.compile(r"cmb_([0-9a-f]{12})_([0-9a-f]{40})", re.ASCII)
"""A key: a public id of 48 bits, and a secret of 160 bits."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
USES_EVERY = 60.0
"""Seconds between two writes of last uses by one process."""
CREATE = "combray keys create NAME --role write --namespace NAMESPACE"
_COST = 14
"""Binary logarithm of scrypt's cost. With r=8 and p=1 one hash takes 16 MB and about 50 ms."""
_STORED = r"^([1-9]|1[0-5])\$[0-9a-f]{32}\$[0-9a-f]{64}$"
_SQLITE = "sqlite:///"
_log = logging.getLogger("combray.server")


Role = Literal["read", "write", "admin"]


class AccessKey(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A key as its file has it. Times are seconds since 1970.

    `namespaces` None: all. `hash` is `COST$SALT$HASH`. `replaced`: a rotated key, valid until `expires`.
    """

    id: str
    name: str
    role: Role
    namespaces: tuple[str, ...] | None
    hash: Annotated[str, msgspec.Meta(pattern=_STORED)]
    created: float
    expires: float | None = None
    used: float | None = None
    replaced: bool = False

    def valid(self, now: float) -> bool:
        """Whether the key has not expired."""
        return self.expires is None or now < self.expires


class _RingFile(msgspec.Struct, forbid_unknown_fields=True):
    keys: tuple[AccessKey, ...] = ()
    version: Literal[1] = 1


_decode = msgspec.json.Decoder(_RingFile).decode


@dataclass(frozen=True, slots=True)
class Issued:
    """A new key with its text, which is not stored anywhere."""

    key: AccessKey
    text: str


def ring_path(location: str, named: str = "") -> Path | None:
    """Return the file of a store's keys: the one that is named, else the one beside the store.

    A store on a server has it in the data folder, one in memory has none.
    """
    if named:
        return Path(os.path.expanduser(named))  # noqa: PTH111 - Path's raises for unknown users
    path = location.removeprefix(_SQLITE) or default_location()
    if path == ":memory:":
        return None
    if "://" in path:
        path = str(Path(data_folder(), f"{hashlib.sha256(path.encode()).hexdigest()[:16]}.db"))
    return Path(f"{os.path.expanduser(path)}.keys.json")  # noqa: PTH111 - Path's raises for unknown users


class KeyRing:
    """The keys of one store: a file that only its owner may read, re-read when it changes. Safe for threads.

    Writers hold the lock of a file beside it, because each write replaces the file itself.
    """

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.RLock()
        self._seen: tuple[int, ...] = ()
        self._keys: dict[str, AccessKey] = {}
        self._verified: dict[bytes, str] = {}
        self._own = secrets.token_bytes(32)
        self._uses: dict[str, float] = {}
        self._uses_written = 0.0
        self._trouble = False

    # -- what is there -----------------------------------------------------------------------------

    def listed(self) -> list[AccessKey]:
        """Return all keys, oldest first. Raises InvalidInputError for a file that cannot be trusted."""
        return list(self._current().values())

    def _current(self) -> dict[str, AccessKey]:
        if self.path is None:
            return {}
        with self._lock:
            try:
                found = self.path.stat()
            except FileNotFoundError:
                self._seen, self._keys, self._verified = (), {}, {}
                return self._keys
            # Each write makes a new file, so the number of the file changes even if time and size do not.
            seen = (found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode)
            if seen != self._seen:
                self._keys = {each.id: each for each in self._read(self.path)}
                hashes = {each.hash for each in self._keys.values()}
                self._verified = {mac: known for mac, known in self._verified.items() if known in hashes}
                self._seen = seen
            return self._keys

    def _read(self, path: Path) -> tuple[AccessKey, ...]:
        try:
            with path.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                data = file.read()
        except FileNotFoundError:
            return ()
        if os.name != "nt" and mode & 0o077:
            raise InvalidInputError(
                str(path),
                f"is open to other accounts of this machine (mode {mode:03o}).",
                f"Run: chmod 600 {path}",
            )
        try:
            return _decode(data).keys
        except (msgspec.MsgspecError, UnicodeDecodeError):
            # The reason may quote the file.
            remedy = "Restore it from a backup, or remove it and create the keys again."
            raise InvalidInputError(str(path), "is not a file of keys.", remedy) from None

    # -- verification ------------------------------------------------------------------------------

    def remembered(self, text: str) -> AccessKey | None:
        """Return the key if this text was verified before and the key has not changed since."""
        current = self._current()
        found = FORM.fullmatch(text)
        key = current.get(found[1]) if found else None
        return key if key is not None and self._verified.get(self._mac(text)) == key.hash else None

    def verified(self, text: str) -> AccessKey | None:
        """Return the key of a text, None if no key is like it. An unknown id costs one hash, too.

        Expired keys are returned: only their holder gets to know that they have expired.
        """
        found = FORM.fullmatch(text)
        if found is None:
            return None
        key = self._current().get(found[1])
        same = _same(found[2], _NOBODY if key is None else key.hash)
        if key is None or not same:
            return None
        self._verified[self._mac(text)] = key.hash
        return key

    def _mac(self, text: str) -> bytes:
        return hmac.digest(self._own, text.encode("utf-8", "surrogatepass"), "sha256")

    def use(self, key: AccessKey) -> None:
        """Note a use of a key. Uses are written at most every USES_EVERY seconds; failures are logged."""
        now = self._clock()
        with self._lock:
            self._uses[key.id] = now
            if now - self._uses_written >= USES_EVERY:
                self.write_uses()

    def write_uses(self) -> None:
        """Write the uses that were noted."""
        with self._lock:
            uses, self._uses_written = self._uses, self._clock()
            if not uses or self.path is None or not self.path.exists():
                return
            try:
                with self._changing() as keys:
                    for place, each in enumerate(keys):
                        if (used := uses.get(each.id, 0.0)) > (each.used or 0.0):
                            keys[place] = msgspec.structs.replace(each, used=used)
            except (OSError, InvalidInputError) as error:
                # Said once: the file may be meant to be read-only.
                if not self._trouble:
                    _log.warning("the last use of keys could not be written: %s", error)
                self._trouble = True
                return
            self._uses, self._trouble = {}, False

    # -- changes -----------------------------------------------------------------------------------

    def create(
        self, name: str, role: str, namespaces: tuple[str, ...] | None, lifetime: float | None = None
    ) -> Issued:
        """Create a key. `namespaces` None: all; `lifetime` in seconds, None: until it is revoked.

        Raises InvalidInputError.
        """
        if not NAME.fullmatch(name):
            remedy = "Use 1 to 64 letters, digits and . _ @ -, beginning with a letter or digit."
            raise InvalidInputError("name", f"{brief(name)} cannot be used.", remedy)
        one_of("role", role, RIGHTS)
        if namespaces is not None:
            namespaces = tuple(dict.fromkeys(map(check_namespace, namespaces)))
            if not namespaces:
                raise InvalidInputError("namespaces", "names no namespace.", "Name one, or allow all.")
        made = _issued(name, role, namespaces, self._clock(), lifetime)
        with self._changing() as keys:
            if any(each.name == name for each in keys):
                remedy = f"Use another name, or: combray keys rotate {name}"
                raise InvalidInputError("name", f"{name!r} has a key already.", remedy)
            keys.append(made.key)
        return made

    def rotate(self, name: str, grace: float = 0.0) -> Issued:
        """Replace a key. The old one is valid for `grace` more seconds. Role, namespaces and lifetime stay.

        Raises InvalidInputError if there is no such key.
        """
        with self._changing() as keys:
            old = next((each for each in keys if each.name == name and not each.replaced), None)
            if old is None:
                raise _unknown(name)
            now = self._clock()
            lifetime = None if old.expires is None else old.expires - old.created
            made = _issued(name, old.role, old.namespaces, now, lifetime)
            until = now + grace if old.expires is None else min(old.expires, now + grace)
            keys.remove(old)
            if grace > 0:
                keys.append(msgspec.structs.replace(old, replaced=True, expires=until))
            keys.append(made.key)
        return made

    def revoke(self, name: str) -> int:
        """Remove a key and those it replaced, and return how many are left. Raises InvalidInputError."""
        with self._changing() as keys:
            kept = [each for each in keys if each.name != name]
            if len(kept) == len(keys):
                raise _unknown(name)
            keys[:] = kept
        return len(kept)

    @contextmanager
    def _changing(self) -> Iterator[list[AccessKey]]:
        """Give the keys of the file as a list, and write the list back unless the block raises."""
        if self.path is None:
            raise InvalidInputError(
                "db", "is a store in memory, which has no keys.", "Name a file: --db agent.db"
            )
        if self.path.parent == Path(data_folder()):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with locked(beside):
                keys, now = list(self._read(self.path)), self._clock()
                yield keys
                _write(self.path, [each for each in keys if not each.replaced or each.valid(now)])
        finally:
            os.close(beside)


def _unknown(name: str) -> InvalidInputError:
    return InvalidInputError("name", f"{brief(name)} has no key.", "See: combray keys list")


def _issued(
    name: str, role: str, namespaces: tuple[str, ...] | None, now: float, lifetime: float | None
) -> Issued:
    number, secret, salt = secrets.token_hex(6), secrets.token_hex(20), secrets.token_hex(16)
    expires = None if lifetime is None else now + lifetime
    stored = f"{_COST}${salt}${_scrypt(secret, salt, _COST)}"
    return Issued(
        AccessKey(number, name, cast(Role, role), namespaces, stored, now, expires), f"cmb_{number}_{secret}"
    )


def _scrypt(secret: str, salt: str, cost: int) -> str:
    made = hashlib.scrypt(
        secret.encode(), salt=bytes.fromhex(salt), n=1 << cost, r=8, p=1, maxmem=64 << 20, dklen=32
    )
    return made.hex()


_NOBODY = f"{_COST}${'0' * 32}${'0' * 64}"
"""Hash of no key, for ids that are unknown: verification of any key takes as long."""


def _same(secret: str, stored: str) -> bool:
    cost, salt, known = stored.split("$")
    return hmac.compare_digest(_scrypt(secret, salt, int(cost)), known)


def _write(path: Path, keys: list[AccessKey]) -> None:
    """Replace the file: a reader sees the old keys or the new ones, also after a power failure."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    data = msgspec.json.format(msgspec.json.encode(_RingFile(tuple(keys))), indent=1) + b"\n"
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
