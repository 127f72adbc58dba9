"""What a set-up changed: for every file the hash after the change, and the original kept aside under its hash."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from combray.agents.clients.places import Wanted
from combray.records import dataclass


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
