"""Workspaces, files and their chunks: three small tables next to the memories."""

from __future__ import annotations

from collections.abc import Sequence

from combray.runtime import Document, Workspace
from combray.stores.rows import listed, to_paths
from combray.stores.sqlite import sql
from combray.stores.sqlite.namespace import Namespace, missing


class SqliteDocuments:
    """Implements `runtime.Documents` and, in a transaction, `runtime.DocumentsWriter`."""

    def __init__(self, scope: Namespace) -> None:
        self.scope = scope

    def workspaces(self) -> list[Workspace]:
        return [
            Workspace(root, to_paths(extra), to_paths(sessions), bool(redact), model, trust, bool(judged), scope)
            for root, extra, sessions, redact, model, trust, judged, scope in self.scope.rows(
                sql.documents.workspaces
            )
        ]

    def files(self, root: str) -> list[Document]:
        return [Document(*row) for row in self.scope.rows(sql.documents.files, root)]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        return [(int(key), str(digest)) for key, digest in self.scope.rows(sql.documents.chunks, root, path)]

    def chunk_count(self, root: str) -> int:
        return int(self.scope.row(sql.documents.count_chunks, root)[0])

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for digest, key, loose in self.scope.rows(sql.documents.chunks_with_hash, listed(hashes)):
            found.setdefault(digest, []).append((key, bool(loose)))
        return found

    def loose(self) -> list[int]:
        return [row[0] for row in self.scope.rows(sql.documents.loose_chunks)]

    def put_workspace(self, workspace: Workspace) -> None:
        one, paths = workspace, (listed(workspace.extra), listed(workspace.sessions))
        row = (one.root, *paths, int(one.redact), one.model, one.trust, int(one.judged), one.scope)
        self.scope.write(sql.documents.put_workspace, *row)

    def drop_workspace(self, root: str) -> None:
        for document in self.files(root):
            self.drop(root, document.path)
        self.scope.write(sql.documents.drop_workspace, root)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        row = (document.root, document.path, document.source, document.hash, document.size, document.modified)
        (file,) = self.scope.row(sql.documents.put_file, *row)
        with self.scope.reading() as connection:
            connection.execute(sql.documents.loosen_chunks, (file,))
        for position, (key, digest) in enumerate(chunks):
            if not self.scope.write(sql.documents.put_chunk, key, file, position, digest):
                raise missing(key, self.scope.name)

    def drop(self, root: str, path: str) -> None:
        row = self.scope.row(sql.documents.file, root, path)
        if row is not None:
            with self.scope.reading() as connection:
                connection.execute(sql.documents.loosen_chunks, row)
                connection.execute(sql.documents.drop_file, row)
