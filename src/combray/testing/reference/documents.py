"""Workspaces, files and chunks of the reference store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from combray.runtime import Document, Workspace
from combray.testing.reference.state import ChunkRow, NamespaceRows


class ReferenceDocuments:
    """Implements `runtime.Documents` and `runtime.DocumentsWriter`. `space` returns the current namespace."""

    def __init__(self, space: Callable[[], NamespaceRows]) -> None:
        self.space = space

    def workspaces(self) -> list[Workspace]:
        return list(self.space().workspaces.values())

    def files(self, root: str) -> list[Document]:
        return [each for place, each in sorted(self.space().files.items()) if place[0] == root]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        chunks = self.space().chunks.items()
        held = sorted((each.position, key, each.hash) for key, each in chunks if each.file == (root, path))
        return [(key, digest) for _, key, digest in held]

    def chunk_count(self, root: str) -> int:
        return sum(each.file is not None and each.file[0] == root for each in self.space().chunks.values())

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for key, chunk in sorted(self.space().chunks.items()):
            if chunk.hash in hashes:
                found.setdefault(chunk.hash, []).append((key, chunk.file is None))
        return found

    def loose(self) -> list[int]:
        return sorted(key for key, chunk in self.space().chunks.items() if chunk.file is None)

    def put_workspace(self, workspace: Workspace) -> None:
        self.space().workspaces[workspace.root] = workspace

    def drop_workspace(self, root: str) -> None:
        for document in self.files(root):
            self.drop(root, document.path)
        self.space().workspaces.pop(root, None)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        space, place = self.space(), (document.root, document.path)
        self.drop(*place)
        space.files[place] = document
        for position, (key, digest) in enumerate(chunks):
            space.row(key)
            space.chunks[key] = ChunkRow(place, position, digest)

    def drop(self, root: str, path: str) -> None:
        space = self.space()
        for key, _ in self.chunks(root, path):
            space.chunks[key] = replace(space.chunks[key], file=None)
        space.files.pop((root, path), None)
