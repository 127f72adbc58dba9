"""Plan, show, write and undo the changes of a set-up.

A plan is computed from all files before the first is written, and an invalid file refuses it. `eject` puts the
original back if nothing else changed the file since; otherwise it removes Combray's own entries and nothing else.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from combray.agents.clients.files import CLIENTS
from combray.agents.clients.pieces import FilePiece, HookPiece, Whole
from combray.agents.clients.places import Places, Wanted
from combray.errors import InvalidInputError
from combray.records import dataclass, replace

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class FileChange:
    """New content of a file; None removes it. `kept`: what eject shall restore; `note`: why it stays as it is."""

    path: Path
    before: bytes | None
    after: bytes | None
    kept: bytes | None = None
    note: str = ""

    @property
    def changes(self) -> bool:
        """Whether the file changes."""
        return self.before != self.after

    def diff(self, home: Path) -> str:
        """Return a unified diff; paths below `home` start with ~."""
        shown = str(self.path)
        if self.path.is_relative_to(home):
            shown = f"~/{self.path.relative_to(home).as_posix()}"
        old, new = _lines(self.before), _lines(self.after)
        names = (
            shown if self.before is not None else "/dev/null",
            shown if self.after is not None else "/dev/null",
        )
        return "".join(difflib.unified_diff(old, new, *names))


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", errors="replace").replace("\r\n", "\n")
    return [line if line.endswith("\n") else f"{line}\n" for line in text.splitlines(keepends=True)]


def plan(client: str, places: Places, wanted: Wanted, folder: Path) -> list[FileChange]:
    """Return the changes that wire a client; files that are as they should be are in it without a change.

    `folder`: where Combray keeps records and originals. Raises InvalidInputError, OSError.
    """
    ledger = _ledger(client, places, folder)
    everything = _by_file(CLIENTS[client](places, replace(wanted, tools=True)))
    changes = []
    for path, pieces in _by_file(CLIENTS[client](places, wanted)).items():
        current = _read(path)
        record = ledger.records.get(str(path))
        base = kept = current
        if record is not None and current is not None:
            original = ledger.original(record)
            if ledger.untouched(record, current):
                base = kept = original
            else:
                # Somebody else changed the file since: their text is what eject shall leave.
                kept = _removed(current, original, pieces)
        places_wired = {each.at for each in pieces if isinstance(each, HookPiece)}
        unwanted: list[FilePiece] = [
            each
            for each in everything.get(path, [])
            if isinstance(each, HookPiece) and each.at not in places_wired
        ]
        wired = _added(_removed(base, base, unwanted) if base is not None else None, pieces)
        if wired != current:
            _refuse_read_only(path)
        changes.append(FileChange(path, current, wired, kept))
    return changes


def unplan(client: str, places: Places, wanted: Wanted, folder: Path) -> list[FileChange]:
    """Return the changes that take Combray out of a client again. Raises InvalidInputError, OSError."""
    ledger = _ledger(client, places, folder)
    wanted = replace(ledger.wanted or wanted, tools=True)
    by_file = _by_file(CLIENTS[client](places, wanted))
    changes = []
    for path in [*by_file, *(Path(each) for each in ledger.records if Path(each) not in by_file)]:
        current = _read(path)
        if current is None:
            continue
        pieces = by_file.get(path, [])
        record = ledger.records.get(str(path))
        original = ledger.original(record) if record is not None else None
        if record is not None and ledger.untouched(record, current):
            after = None if original is None else _removed(original, original, pieces)
        else:
            after = _removed(current, original, pieces)
            if after is not None and record is not None and record.before is None:
                left = after.removeprefix(_MARK).translate(None, b" \t\r\n")
                after = None if left in (b"", b"{}") else after
        if after != current:
            _refuse_read_only(path)
        note = "" if after != current or record is None else "changed since the set-up; it stays"
        changes.append(FileChange(path, current, after, note=note))
    return changes


def carry_out(
    client: str, places: Places, changes: Iterable[FileChange], folder: Path, wanted: Wanted | None = None
) -> int:
    """Write the changes and return how many files changed. If one write fails, the earlier ones are taken back.

    `wanted`: what was planned, recorded for the next call; None for the changes of `unplan`. Raises OSError, and
    InvalidInputError if a file changed since the plan.
    """
    changes = list(changes)
    for each in changes:
        if _read(each.path) != each.before:
            raise InvalidInputError(str(each.path), "changed in the meantime.", "Run this again.")
    ledger = _ledger(client, places, folder)
    done: list[FileChange] = []
    try:
        for each in changes:
            if wanted is None and each.changes:
                _put(each.path, each.after)
            elif each.changes:
                _write(each, ledger)
            if each.changes:
                done.append(each)
    except OSError:
        for each in reversed(done):
            _put(each.path, each.before)
        raise
    if wanted is None:
        _remove_empty(folder for record in ledger.records.values() for folder in record.folders)
        ledger.records.clear()
    ledger.wanted = wanted
    ledger.store()
    return len(done)


def _write(change: FileChange, ledger: Ledger) -> None:
    record = ledger.records.get(str(change.path))
    if change.kept is not None:
        ledger.keep(change.kept)
    made = write(change.path, change.after or b"")
    folders = record.folders if record is not None else tuple(made)
    after = str(digest(change.after))
    ledger.records[str(change.path)] = Record(str(change.path), digest(change.kept), after, folders)


def _remove_empty(folders: Iterable[str]) -> None:
    """Remove folders that the set-up made, the deepest first, unless something else is in them."""
    for each in sorted(set(folders), key=len, reverse=True):
        with suppress(OSError):
            Path(each).rmdir()


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        write(path, data)


def recorded(client: str, places: Places, folder: Path) -> Wanted | None:
    """Return what the last set-up of a client wrote; None if there was none."""
    return _ledger(client, places, folder).wanted


def found(client: str, places: Places, folder: Path) -> bool:
    """Whether a client seems to be used here: it has a configuration, or Combray wrote one."""
    if recorded(client, places, folder) is not None:
        return True
    try:
        pieces = CLIENTS[client](places, Wanted())
    except InvalidInputError:
        return False
    return any(
        each.path.exists() or _own(each.path.parent, places) for each in pieces if not isinstance(each, Whole)
    )


def _own(folder: Path, places: Places) -> bool:
    """Whether a folder exists that only a client makes."""
    return folder not in (places.home, places.project) and folder.is_dir()


def _ledger(client: str, places: Places, folder: Path) -> Ledger:
    return Ledger(folder, client, places.project.resolve() if places.scope == "project" else None)


def _by_file(pieces: Iterable[FilePiece]) -> dict[Path, list[FilePiece]]:
    found: dict[Path, list[FilePiece]] = {}
    for each in pieces:
        found.setdefault(each.path, []).append(each)
    return found


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise InvalidInputError(str(path), "is a folder.", "Move it away.") from None


def text_at(path: Path) -> str | None:
    """Return a file's text without byte order mark; None if it is missing. Raises InvalidInputError, OSError."""
    data = _read(path)
    return None if data is None else _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.removeprefix(_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 text (byte {error.start + 1})."
        raise InvalidInputError(str(path), problem, "Save it as UTF-8; nothing was changed.") from None


def _added(data: bytes | None, pieces: list[FilePiece]) -> bytes:
    text = None if data is None else _decoded(pieces[0].path, data)
    for each in pieces:
        text = each.added(text)
    return _encoded(data, text or "")


def _removed(data: bytes, original: bytes | None, pieces: list[FilePiece]) -> bytes | None:
    if not pieces:
        return data
    text: str | None = _decoded(pieces[0].path, data)
    before = None if original is None else _decoded(pieces[0].path, original)
    for each in pieces:
        text = None if text is None else each.removed(text, before)
    return None if text is None else _encoded(data, text)


def _encoded(data: bytes | None, text: str) -> bytes:
    return (_MARK if data is not None and data.startswith(_MARK) else b"") + text.encode("utf-8")


def _refuse_read_only(path: Path) -> None:
    place = Path(os.path.realpath(path))
    # The bits, not os.access: an administrator may write everywhere, and the file is protected on purpose.
    if place.exists() and not place.stat().st_mode & 0o222:
        raise InvalidInputError(str(path), "is read-only.", "Make it writable, or edit it where it comes from.")


# -- the ledger: for every changed file the hash after the change, and the original under its hash --


def digest(data: bytes | None) -> str | None:
    """Return the SHA-256 of a file's content; None for a missing file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Record:
    """One changed file. `before`: hash of the original, None if there was no file; `folders`: made for it."""

    path: str
    before: str | None
    after: str
    folders: tuple[str, ...] = ()


class Ledger:
    """The records of one client, for the user or one project, below a folder of Combray's own."""

    def __init__(self, folder: Path, client: str, project: Path | None) -> None:
        self._folder = folder
        name = client if project is None else f"{client}-{hashlib.sha256(bytes(project)).hexdigest()[:12]}"
        self._file = folder / f"{name}.json"
        self._about = {"client": client, "project": None if project is None else str(project)}
        self.records: dict[str, Record] = {}
        self.wanted: Wanted | None = None
        """What the last set-up wrote; None before the first."""
        try:
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            call = stored["wanted"]
            self.wanted = Wanted(call["program"], tuple(call["options"]), call["name"], call["tools"])
            for each in stored["files"]:
                folders = tuple(each["folders"])
                self.records[each["path"]] = Record(each["path"], each["before"], each["after"], folders)
        except (OSError, ValueError, KeyError, TypeError):
            self.records.clear()
            self.wanted = None

    def original(self, record: Record) -> bytes | None:
        """Return the original of a file; None if there was none, or it is gone or damaged."""
        if record.before is None:
            return None
        try:
            data = (self._folder / "originals" / record.before).read_bytes()
        except OSError:
            return None
        return data if digest(data) == record.before else None

    def untouched(self, record: Record, current: bytes) -> bool:
        """Whether nobody changed a file since the set-up, and its original can be put back."""
        return digest(current) == record.after and (record.before is None or self.original(record) is not None)

    def keep(self, data: bytes) -> None:
        """Keep an original aside."""
        place = self._folder / "originals" / str(digest(data))
        if not place.exists():
            write(place, data, mode=0o600)

    def store(self) -> None:
        """Write the records, or remove the file if there are none, with originals that no set-up needs."""
        if self.records and self.wanted is not None:
            files = [asdict(each) for each in self.records.values()]
            text = json.dumps({**self._about, "wanted": asdict(self.wanted), "files": files}, indent=2)
            write(self._file, text.encode(), mode=0o600)
        else:
            self._file.unlink(missing_ok=True)
        self._sweep()

    def _sweep(self) -> None:
        """Remove originals that no record names. They may hold secrets of the client's configuration."""
        named = set()
        for place in self._folder.glob("*.json"):
            try:
                named |= {each["before"] for each in json.loads(place.read_text(encoding="utf-8"))["files"]}
            except (OSError, ValueError, KeyError, TypeError):
                return
        for each in (self._folder / "originals").glob("*"):
            if each.name not in named:
                each.unlink(missing_ok=True)


def write(path: Path, data: bytes, *, mode: int | None = None) -> list[str]:
    """Write a file in one step, through a symbolic link, with the mode it has. Return folders that were made."""
    place = Path(os.path.realpath(path))
    made = [str(each) for each in (place.parent, *place.parent.parents) if not each.exists()]
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f"{place.name}.combray-part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode if mode is not None else 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if place.exists():
            part.chmod(place.stat().st_mode & 0o7777)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    return made
