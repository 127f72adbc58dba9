"""Workspaces, files and chunks of the reference store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from combray.errors import NotFoundError
from combray.runtime import Document, Workspace
from combray.testing.reference.state import Chunk, FilePlace, State


class ReferenceDocuments:
    """Implements `runtime.Documents` and `runtime.DocumentsWriter`; `state` gives the state as it is now."""

    def __init__(self, namespace: str, state: Callable[[], State]) -> None:
        self.namespace = namespace
        self.state = state

    def workspaces(self) -> list[Workspace]:
        return [each for (where, _), each in self.state().workspaces.items() if where == self.namespace]

    def files(self, root: str) -> list[Document]:
        files = sorted(self.state().files.items())
        return [each for place, each in files if place[:2] == (self.namespace, root)]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        place = (self.namespace, root, path)
        held = [(each.position, key, each.hash) for key, each in self._chunks() if each.file == place]
        return [(key, digest) for _, key, digest in sorted(held)]

    def chunk_count(self, root: str) -> int:
        return sum(each.file is not None and each.file[1] == root for _, each in self._chunks())

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for key, chunk in self._chunks():
            if chunk.hash in hashes:
                found.setdefault(chunk.hash, []).append((key, chunk.file is None))
        return found

    def loose(self) -> list[int]:
        return [key for key, chunk in self._chunks() if chunk.file is None]

    def _chunks(self) -> list[tuple[int, Chunk]]:
        """All chunks of the namespace, by key."""
        return [each for each in sorted(self.state().chunks.items()) if each[1].namespace == self.namespace]

    def put_workspace(self, workspace: Workspace) -> None:
        self.state().workspaces[self.namespace, workspace.root] = workspace

    def drop_workspace(self, root: str) -> None:
        for document in self.files(root):
            self.drop(root, document.path)
        self.state().workspaces.pop((self.namespace, root), None)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        place = (self.namespace, document.root, document.path)
        self._loosen(place)
        self.state().files[place] = document
        for position, (key, digest) in enumerate(chunks):
            if self.state().row(self.namespace, key) is None:
                raise NotFoundError(f"no memory with key {key} in namespace {self.namespace!r}")
            self.state().chunks[key] = Chunk(self.namespace, place, position, digest)

    def drop(self, root: str, path: str) -> None:
        self._loosen((self.namespace, root, path))
        self.state().files.pop((self.namespace, root, path), None)

    def _loosen(self, file: FilePlace) -> None:
        for key, chunk in self._chunks():
            if chunk.file == file:
                self.state().chunks[key] = replace(chunk, file=None)
