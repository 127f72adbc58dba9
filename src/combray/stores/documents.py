"""Workspaces, files and their chunks: three small tables next to the memories."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from combray.runtime import Document, Workspace
from combray.stores.rows import listed, to_texts
from combray.stores.session import StoreSession, Tables

_paths = partial(to_texts, "the paths of a workspace")


class StoredDocuments(Tables[StoreSession]):
    """Implements `runtime.Documents` and, in a transaction, `runtime.DocumentsWriter`."""

    def workspaces(self) -> list[Workspace]:
        return [
            Workspace(root, _paths(extra), _paths(sessions), bool(redact), model, trust, bool(judged), scope)
            for root, extra, sessions, redact, model, trust, judged, scope in self._rows(
                self.sql.documents.workspaces
            )
        ]

    def files(self, root: str) -> list[Document]:
        return [Document(*row) for row in self._rows(self.sql.documents.files, root)]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        return [(int(key), str(digest)) for key, digest in self._rows(self.sql.documents.chunks, root, path)]

    def chunk_count(self, root: str) -> int:
        return int(self._rows(self.sql.documents.count_chunks, root)[0][0])

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        found: dict[str, list[tuple[int, bool]]] = {}
        for digest, key, loose in self._rows(self.sql.documents.chunks_with_hash, list(hashes)):
            found.setdefault(digest, []).append((key, bool(loose)))
        return found

    def loose(self) -> list[int]:
        return [row[0] for row in self._rows(self.sql.documents.loose_chunks)]

    def put_workspace(self, workspace: Workspace) -> None:
        one, paths = workspace, (listed(workspace.extra), listed(workspace.sessions))
        row = (one.root, *paths, int(one.redact), one.model, one.trust, int(one.judged), one.scope)
        with self.open_session() as session:
            session.of_later(self.sql.documents.put_workspace, *row)

    def drop_workspace(self, root: str) -> None:
        for document in self.files(root):
            self.drop(root, document.path)
        with self.open_session() as session:
            session.of_later(self.sql.documents.drop_workspace, root)

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        row = (document.root, document.path, document.source, document.hash, document.size, document.modified)
        with self.open_session() as session:
            ((file,),) = session.of_rows(self.sql.documents.put_file, *row)
            session.of_later(self.sql.documents.loosen_chunks, file)
            session.must_know(key for key, _ in chunks)
            # A text that stands twice in a file is one memory, at its last place.
            last = {key: (key, place, digest) for place, (key, digest) in enumerate(chunks)}
            session.of_table_later(self.sql.documents.put_chunks, last.values(), file)

    def drop(self, root: str, path: str) -> None:
        with self.open_session() as session:
            for (file,) in session.of_rows(self.sql.documents.drop_file, root, path):
                session.of_later(self.sql.documents.loosen_chunks, file)
