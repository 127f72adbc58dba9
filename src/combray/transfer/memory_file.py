"""A JSONL file of the reference memory server that is kept equal to the graph in the store."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from combray.audit.locking import locked
from combray.errors import StoreError
from combray.transfer.knowledge_graph import KnowledgeGraph, dumped, parsed

Mark = tuple[int, int, int]


class MemoryFile:
    """The file and the graph. Additions to the file by another program reach the store, and the store the file.

    A lock beside the file (`PATH.lock`) covers each change of the store and the file, so that servers on one file
    and store lose nothing. The first change copies the file as it was to `PATH.before-combray`, because the guard
    may redact or quarantine texts of it. What another program removes from the file stays in the store.
    """

    def __init__(self, path: Path, graph: KnowledgeGraph) -> None:
        self.path = path.absolute()
        self._graph = graph
        self._seen: Mark | None = None
        self._here = threading.Lock()

    def take_over(self) -> None:
        """Store what the file has and the store does not, if the file changed since the last look.

        Raises InvalidInputError for a file of another format, and StoreError if it cannot be read.
        """
        if self._mark() != self._seen:
            with self._alone():
                self._take_over()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change the graph within this: the file is taken over before and written after."""
        with self._alone():
            self._take_over()
            try:
                yield
            finally:
                self._write()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._here:
            try:
                descriptor = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                raise StoreError(
                    f"{self.path}: {error.strerror}. Name a file in a folder that exists."
                ) from error
            try:
                with locked(descriptor):
                    yield
            finally:
                os.close(descriptor)

    def _take_over(self) -> None:
        mark = self._mark()
        if mark is None or mark == self._seen:
            return
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path} cannot be read: {error}. Check the file.") from error
        self._graph.add(*parsed(text, str(self.path)))
        self._seen = mark

    def _write(self) -> None:
        text = dumped(self._graph.read())
        if self.path.exists():
            if self.path.read_text(encoding="utf-8") == text:
                return
            copy = self.path.with_name(f"{self.path.name}.before-combray")
            if not copy.exists():
                shutil.copy2(self.path, copy)
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if self.path.exists():
                part.chmod(self.path.stat().st_mode & 0o777)
            part.replace(self.path)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}. The store has the change."
            ) from error
        finally:
            part.unlink(missing_ok=True)
        self._seen = self._mark()

    def _mark(self) -> Mark | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
