"""What hooks keep beside the store, in the folder `STORE.hooks`: the queue, the progress of sessions, and a log.

Nothing here fails a hook: where a file cannot be written, the next hook starts from what is there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from combray.audit.locking import locked
from combray.folders import data_folder

Turn = Mapping[str, Any]
_LOG_BYTES = 256_000
SESSIONS = 64
"""Sessions whose progress is kept; the one used longest ago is deleted."""
SEEN = 4_000
"""Turns of a session that are known as captured."""


def folder_of(location: str) -> Path:
    """Return the folder of a store: beside its file, or in the data folder for a store without one."""
    path = location.removeprefix("sqlite:///")
    if path == ":memory:" or "://" in path:
        return Path(data_folder(), f"{hashlib.sha256(path.encode()).hexdigest()[:16]}.hooks")
    path = os.path.expanduser(path)  # noqa: PTH111 - Path's raises for unknown users
    return Path(f"{path}.hooks")


def has_store(location: str) -> bool:
    """Return whether there is a store; a server is taken to have one."""
    path = location.removeprefix("sqlite:///")
    return "://" in path or os.path.exists(os.path.expanduser(path))  # noqa: PTH110, PTH111


def note_run(client: str, verb: str, milliseconds: int, error: str = "") -> None:
    """Write down a client's last hook in the data folder, where `combray setup --check` reads it."""
    with suppress(OSError):
        folder = Path(data_folder(), "hooks")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        replace(folder / f"{client}.json", {"verb": verb, "at": at, "ms": milliseconds, "error": error[:500]})


class Beside:
    """The folder of one store and namespace."""

    def __init__(self, folder: Path, namespace: str) -> None:
        self.folder = folder
        self.namespace = namespace

    def make(self) -> None:
        """Create the folder, readable by its owner only. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def queue(self) -> Path:
        """The turns that wait to be stored."""
        return self.folder / "queue.jsonl"

    def _session(self, client: str, session: str) -> Path:
        name = hashlib.sha256("\x1f".join((self.namespace, client, session)).encode(errors="replace")).hexdigest()
        return self.folder / f"session-{name[:24]}.json"

    def progress(self, client: str, session: str) -> dict[str, Any]:
        """Return what is known of a session: `offset` and `seen` of its turns, `compacted`, `pending`."""
        return _read(self._session(client, session))

    def put_progress(self, client: str, session: str, value: dict[str, Any]) -> None:
        """Replace what is known of a session. Raises OSError."""
        self.make()
        value["seen"] = value.get("seen", [])[-SEEN:]
        replace(self._session(client, session), value)

    def note_session(self, client: str, session: str) -> None:
        """Write down when a hook of a session ran last."""
        if not session:
            return
        with suppress(OSError):
            self.make()
            sessions = self._sessions()
            sessions.pop(session, None)
            sessions[session] = datetime.now(UTC).isoformat(timespec="seconds")
            for old in list(sessions)[:-SESSIONS]:
                del sessions[old]
                self._session(client, old).unlink(missing_ok=True)
            replace(self.folder / "sessions.json", sessions)

    def last_other(self, session: str) -> str:
        """Return when a hook of another session ran last; "" for never."""
        return max((str(at) for name, at in self._sessions().items() if name != session), default="")

    def _sessions(self) -> dict[str, Any]:
        return _read(self.folder / "sessions.json")

    def log(self, what: str) -> None:
        """Append one line to the log. It has no text of a conversation."""
        with suppress(OSError):
            self.make()
            path = self.folder / "hooks.log"
            if path.exists() and path.stat().st_size > _LOG_BYTES:
                path.replace(path.with_suffix(".log.1"))
            line = f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {' '.join(what.split())}\n"
            with _opened(path, os.O_APPEND) as file:
                file.write(line.encode("utf-8", "replace"))


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def replace(path: Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all. Raises OSError."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with _opened(part, os.O_TRUNC) as file:
            file.write(json.dumps(value).encode())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _opened(path: Path, flags: int) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600), "wb")


# -- the queue -----------------------------------------------------------------------------------


class TurnQueue:
    """A crash-safe queue of turns: JSON lines, appended whole and synchronised to the disk.

    Any number of processes may append; one at a time works. A worker renames the file, stores its lines and then
    deletes it. If it is killed, the next worker finds the renamed file and begins again; a turn that is stored
    already has its id in the store. A line that a crash cut is skipped: it was not acknowledged, and its turn is
    queued again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._taken = path.with_name(f"{path.stem}.taken{path.suffix}")
        self._lock = path.with_name(f"{path.stem}.lock")

    def waiting(self) -> bool:
        """Whether there is anything to store."""
        return any(_size(each) > 0 for each in (self.path, self._taken))

    def append(self, turns: Sequence[Turn]) -> None:
        """Append turns; when this returns, they survive a crash. Raises OSError."""
        lines = "".join(json.dumps(each, ensure_ascii=True) + "\n" for each in turns).encode()
        if not lines:
            return
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                with locked(descriptor):
                    if not self._same(descriptor):
                        # A worker took the file between opening and locking.
                        continue
                    size = os.fstat(descriptor).st_size
                    try:
                        _write(descriptor, _ended(descriptor, size) + lines)
                        os.fsync(descriptor)
                    except OSError:
                        # A part of the lines would be stored, and stored again with the rest.
                        with suppress(OSError):
                            os.ftruncate(descriptor, size)
                        raise
                    return
            finally:
                os.close(descriptor)

    def _same(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Exclude other workers; waits for one that works."""
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with locked(descriptor):
                yield
        finally:
            os.close(descriptor)

    def take(self) -> list[Turn]:
        """Return the turns to store, first those of a worker that did not finish. Call it within `working`."""
        if not self._taken.exists():
            try:
                self.path.replace(self._taken)
            except FileNotFoundError:
                return []
        descriptor = os.open(self._taken, os.O_RDWR)
        try:
            # Whoever opened the file before it was renamed has written to it, or sees that it was.
            with locked(descriptor):
                data = self._taken.read_bytes()
        finally:
            os.close(descriptor)
        return [turn for line in data.split(b"\n") if (turn := _turn(line)) is not None]

    def done(self) -> None:
        """Delete what was taken: it is stored. Call it within `working`."""
        self._taken.unlink(missing_ok=True)


def _size(path: Path) -> int:
    """Return the bytes of a file; 0 without one. A worker may rename or delete it at any time."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _ended(descriptor: int, size: int) -> bytes:
    """Return a line break if the last line has none."""
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return b"" if os.read(descriptor, 1) == b"\n" else b"\n"


def _turn(line: bytes) -> Turn | None:
    try:
        turn = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return turn if isinstance(turn, dict) and isinstance(turn.get("id"), str) else None
