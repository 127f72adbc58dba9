"""Workspaces, files and chunks of the reference store: dicts by namespace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from combray.errors import NotFoundError
from combray.runtime import Document, Workspace

Place = tuple[str, str, str]
"""Namespace, root, path."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its memory's namespace, the file that has it (None: loose), its place there, its text's hash."""

    namespace: str
    file: Place | None
    position: int
    hash: str


@dataclass(slots=True)
class Shelf:
    """What is known of files. Values are never changed in place."""

    workspaces: dict[tuple[str, str], Workspace] = field(default_factory=dict)
    files: dict[Place, Document] = field(default_factory=dict)
    chunks: dict[int, Chunk] = field(default_factory=dict)

    def copy(self) -> Shelf:
        """Another shelf with the same contents."""
        return Shelf(dict(self.workspaces), dict(self.files), dict(self.chunks))

    def loosen(self, file: Place) -> None:
        """Take all its chunks from a file."""
        for key, chunk in list(self.chunks.items()):
            if chunk.file == file:
                self.chunks[key] = Chunk(chunk.namespace, None, chunk.position, chunk.hash)

    def erase(self, key: int) -> None:
        """Forget a chunk, and the hash of the file that had it: a short file could be guessed by it."""
        chunk = self.chunks.pop(key, None)
        if chunk is not None and chunk.file is not None:
            self.files[chunk.file] = replace(self.files[chunk.file], hash="")


class ReferenceDocuments:
    """Implements `runtime.Documents` and `runtime.DocumentsWriter`; `current` is the shelf as it is now.

    `known` says whether a key is a memory of the namespace.
    """

    def __init__(self, namespace: str, current: Callable[[], Shelf], known: Callable[[int], bool]) -> None:
        self.namespace = namespace
        self.current = current
        self.known = known

    @property
    def shelf(self) -> Shelf:
        """What is known of files now."""
        return self.current()

    def workspaces(self) -> list[Workspace]:
        """In the order in which they came."""
        return [each for (where, _), each in self.shelf.workspaces.items() if where == self.namespace]

    def files(self, root: str) -> list[Document]:
        """The files of a workspace, ordered by path."""
        return [each for place, each in sorted(self.shelf.files.items()) if place[:2] == (self.namespace, root)]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        """Key and text hash of each chunk of a file, in order."""
        place = (self.namespace, root, path)
        held = [
            (chunk.position, key, chunk.hash) for key, chunk in self.shelf.chunks.items() if chunk.file == place
        ]
        return [(key, text_hash) for _, key, text_hash in sorted(held)]

    def chunk_count(self, root: str) -> int:
        """How many chunks the files of a workspace have."""
        place = (self.namespace, root)
        return sum(chunk.file is not None and chunk.file[:2] == place for chunk in self.shelf.chunks.values())

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        """Chunks with those texts, keys ascending."""
        found: dict[str, list[tuple[int, bool]]] = {}
        for key, chunk in sorted(self.shelf.chunks.items()):
            if chunk.namespace == self.namespace and chunk.hash in hashes:
                found.setdefault(chunk.hash, []).append((key, chunk.file is None))
        return found

    def loose(self) -> list[int]:
        """Keys of all loose chunks, ascending."""
        chunks = sorted(self.shelf.chunks.items())
        return [key for key, each in chunks if each.file is None and each.namespace == self.namespace]

    def put_workspace(self, workspace: Workspace) -> None:
        """Store a workspace; one of the same root keeps its place in the order."""
        self.shelf.workspaces[self.namespace, workspace.root] = workspace

    def drop_workspace(self, root: str) -> None:
        """Forget a workspace and its files."""
        for document in self.files(root):
            self.drop(root, document.path)
        self.shelf.workspaces.pop((self.namespace, root), None)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        """Store what a file holds now. Raises NotFoundError for a key of no memory here."""
        place = (self.namespace, document.root, document.path)
        self.shelf.loosen(place)
        self.shelf.files[place] = document
        for position, (key, text_hash) in enumerate(chunks):
            if not self.known(key):
                raise NotFoundError(f"no memory with key {key} in namespace {self.namespace!r}")
            self.shelf.chunks[key] = Chunk(self.namespace, place, position, text_hash)

    def drop(self, root: str, path: str) -> None:
        """Forget a file; its chunks become loose."""
        self.shelf.loosen((self.namespace, root, path))
        self.shelf.files.pop((self.namespace, root, path), None)
