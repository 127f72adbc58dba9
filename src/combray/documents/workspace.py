"""The files of a workspace: which they are, the day of each by its path, and safe access to them."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePath
from typing import NamedTuple

from combray.errors import InvalidInputError, brief
from combray.records import dataclass
from combray.runtime import Workspace

EVERGREEN = ("MEMORY.md", "memory.md")
MEMORY_FOLDER = "memory"

_DAY = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")
_DAY_IN_FOLDERS = re.compile(r"(?:^|/)(\d{4})/(\d{2})/(\d{2})(?=[/._-])")
MEMORY, SESSIONS = "memory", "sessions"
SOURCES = (MEMORY, SESSIONS)
_SUFFIX = {MEMORY: ".md", SESSIONS: ".jsonl"}
MAX_BYTES = 32 * 1024 * 1024
MAX_PATH = 200
"""Maximum length of a path: it is the session of its chunks, and labels have at most 200 characters."""

IGNORED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", ".nox", "__pycache__",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".idea", ".vscode", ".obsidian", ".trash",
    }
)  # fmt: skip
"""Folders that are never indexed: OpenClaw's list, and other folders of tools."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file: `base` is a real path, `parts` lead from it to the file, `path` is its name in citations."""

    base: str
    parts: tuple[str, ...]
    path: str
    source: str

    @property
    def absolute(self) -> str:
        """The absolute path."""
        return os.path.join(self.base, *self.parts)  # noqa: PTH118 - thousands a walk


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file with its size in bytes and its mtime in nanoseconds."""

    place: FilePlace
    size: int
    modified: int


def open_workspace(
    folder: str | os.PathLike[str],
    extra: Sequence[str | os.PathLike[str]] = (),
    sessions: Sequence[str | os.PathLike[str]] = (),
) -> Workspace:
    """Return the workspace of a folder, with real paths. Raises InvalidInputError for missing paths."""
    root = real_path("folder", folder)
    if not Path(root).is_dir():
        raise InvalidInputError("folder", f"{root} is not a folder.", "Name a folder of Markdown files.")
    return Workspace(
        root,
        tuple(dict.fromkeys(_beside("extra", each, MEMORY) for each in extra)),
        tuple(dict.fromkeys(_beside("sessions", each, SESSIONS) for each in sessions)),
    )


def real_path(field: str, given: str | os.PathLike[str]) -> str:
    """Resolve the links of a path. Raises InvalidInputError if it does not exist."""
    real = resolved(field, given)
    try:
        there = Path(real).exists()
    except OSError:  # a name that is too long
        there = False
    if not there:
        raise InvalidInputError(field, f"{real} does not exist.", "Check the path.")
    return real


def resolved(field: str, given: str | os.PathLike[str]) -> str:
    """Resolve the links of a path, which may be gone. Raises InvalidInputError if it cannot be one."""
    text = os.fspath(given)
    try:
        possible = isinstance(text, str) and bool(text) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InvalidInputError(field, f"{brief(text)} is not a path.", "Name a file or folder.")
    return os.path.realpath(os.path.expanduser(text))  # noqa: PTH111 - Path's raises for unknown users


def _beside(field: str, given: str | os.PathLike[str], source: str) -> str:
    real = real_path(field, given)
    if not Path(real).is_dir() and not real.lower().endswith(_SUFFIX[source]):
        raise InvalidInputError(
            field, f"{real} is not a {_SUFFIX[source]} file.", f"Name {_SUFFIX[source]} files."
        )
    return real


def is_memory_workspace(root: str) -> bool:
    """Whether the folder has a MEMORY.md or a folder `memory`. If so, only these are indexed."""
    return any(Path(root, name).is_file() for name in EVERGREEN) or Path(root, MEMORY_FOLDER).is_dir()


class FoundFiles(NamedTuple):
    """The files of a workspace by path, the skipped ones with reasons, and how many paths are ignored."""

    files: list[FoundFile]
    skipped: list[tuple[str, str]]
    ignored: int


def find(workspace: Workspace, *, ignoring: bool = True) -> FoundFiles:
    """Return all files of a workspace.

    These are `MEMORY.md`, `memory.md` and `memory/**/*.md` if any exists, else `**/*.md`; `*.md` of the extra
    paths; `*.jsonl` of the sessions. Links are not followed; each file is listed once. With `ignoring`, notes
    that `.gitignore` and `.ignore` files name are left out, but for files that the caller names. Raises
    InvalidInputError if the folder is missing.
    """
    if not Path(workspace.root).is_dir():
        raise InvalidInputError("folder", f"{workspace.root} does not exist any more.", "Index another folder.")
    found: dict[str, FoundFile] = {}
    skipped: list[tuple[str, str]] = []
    ignored: set[str] = set()
    for base, starts, source in _starts(workspace):
        left_out = _ignored_by(base, starts, ignored, skipped) if ignoring and source == MEMORY else None
        for parts, status in _walk(base, starts, _SUFFIX[source], skipped, left_out):
            place = _place(workspace, base, parts, source)
            if len(place.path) > MAX_PATH:
                skipped.append((place.path, f"the path is longer than {MAX_PATH} characters"))
            elif status.st_size > MAX_BYTES:
                skipped.append((place.path, f"larger than {MAX_BYTES // 1024 // 1024} MB"))
            else:
                found.setdefault(place.absolute, FoundFile(place, status.st_size, status.st_mtime_ns))
    files = sorted(found.values(), key=lambda each: each.place.path)
    return FoundFiles(files, sorted(set(skipped)), len(ignored))


LeftOut = Callable[[tuple[str, ...], bool], bool]
"""Whether a path below the base, a folder or a file, is left out."""


def _ignored_by(
    base: str, starts: Iterable[tuple[str, ...]], ignored: set[str], skipped: list[tuple[str, str]]
) -> LeftOut:
    """Return a test by the ignore files of a folder, which notes the paths that it leaves out."""
    from combray.documents.ignoring import IgnoreFiles

    files = IgnoreFiles(base, starts, skipped)

    def left_out(parts: tuple[str, ...], folder: bool) -> bool:
        told = files.leave_out(parts, folder=folder)
        if told:
            ignored.add(os.path.join(base, *parts))  # noqa: PTH118 - kept as text
        return told

    return left_out


def _starts(workspace: Workspace) -> Iterator[tuple[str, Iterable[tuple[str, ...]], str]]:
    """Yield base folder, start paths below it, and the source of the files."""
    only = ((EVERGREEN[0],), (EVERGREEN[1],), (MEMORY_FOLDER,))
    yield workspace.root, only if is_memory_workspace(workspace.root) else ((),), MEMORY
    for paths, source in ((workspace.extra, MEMORY), (workspace.sessions, SESSIONS)):
        for path in paths:
            if Path(path).is_dir():
                yield path, ((),), source
            else:
                yield str(Path(path).parent), ((Path(path).name,),), source


def _place(workspace: Workspace, base: str, parts: tuple[str, ...], source: str) -> FilePlace:
    absolute = PurePath(base, *parts)
    inside = absolute.is_relative_to(workspace.root)
    shown = absolute.relative_to(workspace.root) if inside else absolute
    return FilePlace(base, parts, shown.as_posix(), source)


def _walk(
    base: str,
    starts: Iterable[tuple[str, ...]],
    suffix: str,
    skipped: list[tuple[str, str]],
    left_out: LeftOut | None,
) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """Yield regular files with the suffix: parts below the base, and their stat result."""
    waiting = [tuple(start) for start in starts]
    names = {start[0]: frozenset(os.listdir(base)) for start in waiting if start}  # noqa: PTH208 - names
    while waiting:
        parts = waiting.pop()
        here = os.path.join(base, *parts)  # noqa: PTH118 - thousands a walk
        try:
            # On a case-insensitive file system MEMORY.md also matches memory.md, so names must be listed exactly.
            if len(parts) == 1 and parts[0] in names and parts[0] not in names[parts[0]]:
                continue
            status = os.lstat(here)
            if stat.S_ISDIR(status.st_mode):
                if left_out is not None and left_out(parts, True):
                    continue
                waiting += [(*parts, name) for name in os.listdir(here) if name not in IGNORED]  # noqa: PTH208
            elif stat.S_ISREG(status.st_mode) and here.lower().endswith(suffix):
                here.encode()
                if left_out is None or not left_out(parts, False):
                    yield parts, status
            elif stat.S_ISLNK(status.st_mode) and here.lower().endswith(suffix):
                skipped.append((here, "a symbolic link; links are not followed"))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "the name is not valid Unicode"
            skipped.append((here.encode(errors="backslashreplace").decode(), str(reason)))


def locate(
    workspaces: Sequence[Workspace], path: str, *, ignoring: bool = True
) -> list[tuple[Workspace, FilePlace]]:
    """Return where a given path may be, in the order of workspaces. Raises InvalidInputError if nowhere.

    A path is relative to a workspace, or absolute inside one, its extra paths or its sessions. `ignoring`: as in
    `find`.
    """
    if not isinstance(path, str) or not path.strip() or "\0" in path or len(path) > 4096:
        raise InvalidInputError("path", f"{path!r} is not a path.", "Pass the path of a search result.")
    given = PurePath(path)
    if ".." in given.parts:
        raise InvalidInputError("path", f"{path!r} must not contain '..'.", "Pass the path without it.")
    if not workspaces:
        raise InvalidInputError("path", "nothing is indexed here yet.", "Index a folder first.")
    places = [(workspace, place) for workspace in workspaces for place in _inside(workspace, given, ignoring)]
    if not places:
        raise InvalidInputError(
            "path", f"{path!r} is not in an indexed folder.", "Index its folder first, or check the path."
        )
    return places


def _inside(workspace: Workspace, given: PurePath, ignoring: bool) -> Iterator[FilePlace]:
    absolute = PurePath(workspace.root, given)
    for base, starts, source in _starts(workspace):
        if absolute.is_relative_to(base):
            parts = absolute.relative_to(base).parts
            begins = any(parts[: len(start)] == tuple(start) for start in starts)
            usual = absolute.name.lower().endswith(_SUFFIX[source]) and not IGNORED.intersection(parts)
            ruled = ignoring and source == MEMORY
            if parts and begins and usual and not (ruled and _is_ignored(base, starts, parts)):
                yield _place(workspace, base, parts, source)


def _is_ignored(base: str, starts: Iterable[tuple[str, ...]], parts: tuple[str, ...]) -> bool:
    """Return whether ignore files leave out a file, or a folder that leads to it."""
    from combray.documents.ignoring import IgnoreFiles

    files = IgnoreFiles(base, starts)
    ways = [parts[: number + 1] for number in range(len(parts))]
    return any(files.leave_out(way, folder=way != parts) for way in ways)


def open_file(place: FilePlace) -> int:
    """Open a regular file without following links, and return its descriptor. The caller closes it.

    Raises FileNotFoundError; InvalidInputError for links, folders, pipes and devices.
    """
    here = place.base
    for part in place.parts:
        here = os.path.join(here, part)  # noqa: PTH118 - kept as text
        mode = os.lstat(here).st_mode
        if stat.S_ISLNK(mode):
            raise InvalidInputError("path", f"{here} is a symbolic link; links are not followed.")
    if not stat.S_ISREG(mode):
        raise InvalidInputError("path", f"{here} is not a regular file.")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(here, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InvalidInputError("path", f"{here} is a symbolic link; links are not followed.") from error
        raise
    # A folder on the path may have been replaced by a link since the check.
    if os.path.realpath(here) != here or not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidInputError("path", f"{here} is a symbolic link; links are not followed.")
    return descriptor


# -- days ----------------------------------------------------------------------------------------


def date_in(path: str, zone: tzinfo = UTC) -> datetime | None:
    """Return the date in the file name or in the nearest folder name, as its start in `zone`; None without one.

    Examples: `2025-11-27.md`, `2026-03-01-slug.md`, `2026-03-01/notes.md`, `2026/03/01.md`, `2026/03/01/a.md`.
    """
    for part in reversed(path.split("/")):
        for match in _DAY.finditer(part):
            day = _day(match, zone)
            if day is not None:
                return day
    return next((day for match in _DAY_IN_FOLDERS.finditer(path) if (day := _day(match, zone))), None)


def _day(match: re.Match[str], zone: tzinfo) -> datetime | None:
    try:
        year, month, day = map(int, match.groups())
        return datetime(year, month, day, tzinfo=zone)
    except ValueError:
        return None


def occurred(path: str, modified: int, zone: tzinfo = UTC) -> datetime | None:
    """Return a file's day: the date in its path, None for an evergreen file, else the day of its last change.

    `path` is relative to the workspace; `modified` is in nanoseconds since 1970. Only the day counts, so touching
    a file twice a day changes nothing.
    """
    day = date_in(path, zone)
    if day is not None:
        return day
    if path in EVERGREEN or path.startswith(f"{MEMORY_FOLDER}/"):
        return None
    changed = datetime.fromtimestamp(modified / 1e9, zone)
    return changed.replace(hour=0, minute=0, second=0, microsecond=0)
