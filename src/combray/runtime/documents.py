"""Protocols for indexed files: workspaces, documents, and the memories that are their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from combray.records import dataclass
from combray.types import DEFAULT_TRUST, Trust


@dataclass(frozen=True, slots=True)
class Workspace:
    """An indexed folder of Markdown, with additional sources. All paths are absolute.

    `redact`: secrets are redacted in notes too, not only in transcripts. `model`: the embedder of all its chunks,
    "" if some have no vector. `trust`: of its texts. `judged`: whether the guard has checked all of them.
    `scope`: the scope tag of its chunks, "" for none.
    """

    root: str
    extra: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    redact: bool = False
    model: str = ""
    trust: Trust = DEFAULT_TRUST
    judged: bool = False
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file when it was last read: SHA-256 of its bytes, size in bytes, mtime in nanoseconds.

    `path` is relative to the root, with slashes, or absolute for a file outside the root.
    """

    root: str
    path: str
    source: str
    hash: str
    size: int
    modified: int


class DocumentIndex(Protocol):
    """The indexed files of a namespace, and the memories that are their chunks.

    A chunk is `loose` if its file no longer contains it. Its text is identified by the SHA-256 of its bytes.
    """

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces in the order of their addition."""

    def files(self, root: str) -> list[Document]:
        """Return the files of a workspace, ordered by path."""

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        """Return key and text hash of each chunk of a file, in order; empty for an unknown file."""

    def chunk_count(self, root: str) -> int:
        """Return the number of chunks of a workspace."""

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        """Return (key, loose) of the chunks with given texts, by text hash, keys ascending."""

    def loose(self) -> list[int]:
        """Return the keys of all loose chunks, ascending."""


class DocumentsWriter(DocumentIndex, Protocol):
    """`DocumentIndex` inside a transaction."""

    def put_workspace(self, workspace: Workspace) -> None:
        """Store or replace a workspace. A replaced one keeps its position."""

    def drop_workspace(self, root: str) -> None:
        """Remove a workspace and its files. Their chunks become loose."""

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        """Store a file with (key, text hash) of its chunks. Chunks that it no longer has become loose."""

    def drop(self, root: str, path: str) -> None:
        """Remove a file. Its chunks become loose."""
