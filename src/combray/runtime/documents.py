"""The words stages and stores share about files: workspaces, documents, and which memories are their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from combray.types import Trust


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder of Markdown that is kept in the index, with what is read beside it. All paths are absolute.

    `redact`: secrets are taken out of notes too, not of transcripts alone. `model`: the embedder that all its
    chunks have a vector of; "" when some have none. `trust`: whose word its texts are, owner, agent or untrusted.
    `judged`: whether the guard has looked at all of them.
    """

    root: str
    extra: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    redact: bool = False
    model: str = ""
    trust: Trust = "owner"
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was when it was last read: SHA-256 of its bytes, size in bytes, mtime in nanoseconds.

    `path` is relative to the root, with slashes; absolute for a file outside of it.
    """

    root: str
    path: str
    source: str
    hash: str
    size: int
    modified: int


class Documents(Protocol):
    """Which files a namespace holds, and which memories are their chunks.

    A chunk is `loose` when its file no longer has it; its text is told by the SHA-256 of its exact bytes.
    """

    def workspaces(self) -> list[Workspace]:
        """In the order in which they came."""
        ...

    def files(self, root: str) -> list[Document]:
        """The files of a workspace, ordered by path."""
        ...

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        """Key and text hash of each chunk of a file, in order; empty for a file not known."""
        ...

    def chunk_count(self, root: str) -> int:
        """How many chunks the files of a workspace have."""
        ...

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        """Chunks with those texts: key and whether it is loose, by text hash, keys ascending."""
        ...

    def loose(self) -> list[int]:
        """Keys of all loose chunks, ascending."""
        ...


class DocumentsWriter(Documents, Protocol):
    """The same inside a transaction."""

    def put_workspace(self, workspace: Workspace) -> None:
        """Store a workspace; one of the same root keeps its place in the order."""
        ...

    def drop_workspace(self, root: str) -> None:
        """Forget a workspace and its files; their chunks become loose."""
        ...

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        """Store what a file holds now, key and text hash a chunk; what it held before and not now is loose."""
        ...

    def drop(self, root: str, path: str) -> None:
        """Forget a file; its chunks become loose."""
        ...
