"""Workspaces, files and their chunks: three small tables beside the memories."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import msgspec

from combray.errors import NotFoundError
from combray.runtime import Document, Workspace
from combray.stores.sqlite.rows import reading

_MOST = 900
_PUT_WORKSPACE = """
INSERT INTO workspace (namespace, root, extra, sessions, redact, model, trust, judged)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, root) DO UPDATE
SET extra = excluded.extra, sessions = excluded.sessions, redact = excluded.redact, model = excluded.model,
    trust = excluded.trust, judged = excluded.judged
"""
_PUT = """
INSERT INTO document (namespace, root, path, source, hash, size, modified) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, root, path)
DO UPDATE SET source = excluded.source, hash = excluded.hash, size = excluded.size, modified = excluded.modified
RETURNING id
"""
_PUT_CHUNK = """
INSERT INTO chunk (key, namespace, document, position, hash)
SELECT key, namespace, ?2, ?3, ?4 FROM memory WHERE key = ?1 AND namespace = ?5
ON CONFLICT (key) DO UPDATE SET document = excluded.document, position = excluded.position, hash = excluded.hash
"""
_CHUNKS = """
SELECT key, c.hash FROM chunk AS c JOIN document AS d ON d.id = c.document
WHERE d.namespace = ? AND d.root = ? AND d.path = ? ORDER BY c.position
"""
_decode = msgspec.json.Decoder(tuple[str, ...]).decode


def _paths(text: str) -> tuple[str, ...]:
    return reading("the paths of a workspace", lambda: _decode(text))


class SqliteDocuments:
    """Implements `runtime.Documents`. `reading` gives a connection, `number` the namespace's number in it."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[sqlite3.Connection]],
        number: Callable[[sqlite3.Connection], int | None],
    ) -> None:
        self.reading = reading
        self.number = number

    def workspaces(self) -> list[Workspace]:
        """In the order in which they came."""
        sql = (
            "SELECT root, extra, sessions, redact, model, trust, judged FROM workspace "
            "WHERE namespace = ? ORDER BY id"
        )
        with self.reading() as connection:
            rows = connection.execute(sql, (self.number(connection),)).fetchall()
        return [
            Workspace(root, _paths(extra), _paths(sessions), bool(redact), model, trust, bool(judged))
            for root, extra, sessions, redact, model, trust, judged in rows
        ]

    def files(self, root: str) -> list[Document]:
        """The files of a workspace, ordered by path."""
        sql = (
            "SELECT root, path, source, hash, size, modified FROM document "
            "WHERE namespace = ? AND root = ? ORDER BY path"
        )
        with self.reading() as connection:
            return [Document(*row) for row in connection.execute(sql, (self.number(connection), root))]

    def chunks(self, root: str, path: str) -> list[tuple[int, str]]:
        """Key and text hash of each chunk of a file, in order."""
        with self.reading() as connection:
            rows = connection.execute(_CHUNKS, (self.number(connection), root, path))
            return [(int(key), str(text_hash)) for key, text_hash in rows]

    def chunk_count(self, root: str) -> int:
        """How many chunks the files of a workspace have."""
        sql = (
            "SELECT count(*) FROM document AS d JOIN chunk AS c ON c.document = d.id "
            "WHERE d.namespace = ? AND d.root = ?"
        )
        with self.reading() as connection:
            return int(connection.execute(sql, (self.number(connection), root)).fetchone()[0])

    def holding(self, hashes: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        """Chunks with those texts, keys ascending."""
        found: dict[str, list[tuple[int, bool]]] = {}
        wanted = sorted(set(hashes))
        with self.reading() as connection:
            number = self.number(connection)
            for start in range(0, len(wanted), _MOST):
                some = wanted[start : start + _MOST]
                sql = (
                    "SELECT hash, key, document IS NULL FROM chunk "
                    f"WHERE namespace = ? AND hash IN ({', '.join('?' * len(some))}) ORDER BY key"
                )
                for text_hash, key, loose in connection.execute(sql, (number, *some)):
                    found.setdefault(text_hash, []).append((key, bool(loose)))
        return found

    def loose(self) -> list[int]:
        """Keys of all loose chunks, ascending."""
        sql = "SELECT key FROM chunk WHERE namespace = ? AND document IS NULL ORDER BY key"
        with self.reading() as connection:
            return [row[0] for row in connection.execute(sql, (self.number(connection),))]


class SqliteDocumentsWriter(SqliteDocuments):
    """Implements `runtime.DocumentsWriter`."""

    def put_workspace(self, workspace: Workspace) -> None:
        """Store a workspace; one of the same root keeps its place in the order."""
        extra, sessions = (msgspec.json.encode(each).decode() for each in (workspace.extra, workspace.sessions))
        with self.reading() as connection:
            row = (
                self.number(connection),
                workspace.root,
                extra,
                sessions,
                int(workspace.redact),
                workspace.model,
                workspace.trust,
                int(workspace.judged),
            )
            connection.execute(_PUT_WORKSPACE, row)

    def drop_workspace(self, root: str) -> None:
        """Forget a workspace and its files."""
        for document in self.files(root):
            self.drop(root, document.path)
        with self.reading() as connection:
            sql = "DELETE FROM workspace WHERE namespace = ? AND root = ?"
            connection.execute(sql, (self.number(connection), root))

    def put(self, document: Document, chunks: Sequence[tuple[int, str]]) -> None:
        """Store what a file holds now. Raises NotFoundError for a key of no memory here."""
        with self.reading() as connection:
            number = self.number(connection)
            row = (document.root, document.path, document.source, document.hash, document.size, document.modified)
            (file,) = connection.execute(_PUT, (number, *row)).fetchone()
            connection.execute("UPDATE chunk SET document = NULL WHERE document = ?", (file,))
            for position, (key, text_hash) in enumerate(chunks):
                if not connection.execute(_PUT_CHUNK, (key, file, position, text_hash, number)).rowcount:
                    raise NotFoundError(f"no memory with key {key} in this namespace")

    def drop(self, root: str, path: str) -> None:
        """Forget a file; its chunks become loose."""
        sql = "SELECT id FROM document WHERE namespace = ? AND root = ? AND path = ?"
        with self.reading() as connection:
            row = connection.execute(sql, (self.number(connection), root, path)).fetchone()
            if row is not None:
                connection.execute("UPDATE chunk SET document = NULL WHERE document = ?", row)
                connection.execute("DELETE FROM document WHERE id = ?", row)
