"""Two subjects beside the memories: indexed files with their chunks, and the embedding queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from combray.runtime import Document, Workspace
from combray.runtime.queue import Backlog, Job
from combray.stores.rows import listed, to_job, to_micro, to_seconds, to_texts
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


class StoredQueue(Tables[StoreSession]):
    """Implements `runtime.Queue` and `runtime.QueueWriter`; a transaction commits `revision`."""

    revision = -1
    activates = False
    """Whether it has changed memories."""

    def _run(self, statement: str, *values: Any) -> int:
        with self.open_session() as session:
            return session.of_run(statement, *values)

    def jobs(self, model: str) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.jobs, model)]

    def backlogs(self) -> list[Backlog]:
        return [
            Backlog(model, waiting, failed, to_seconds(oldest), error or "")
            for model, waiting, failed, oldest, error in self._rows(self.sql.queue.backlogs)
        ]

    def due(self, model: str, now: float) -> bool:
        return bool(self._rows(self.sql.queue.jobs_due, model, to_micro(now), 1))

    def holders(self, model: str) -> list[str]:
        return [row[0] for row in self._rows(self.sql.queue.holders, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.jobs_held, model, holder)]

    def given_up(self, model: str, limit: int) -> list[Job]:
        return [to_job(row) for row in self._rows(self.sql.queue.given_up, model, limit)]

    def orphans(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.orphans, model)]

    def lacking(self, model: str) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.lacking, model)]

    def unmarked(self, model: str, limit: int) -> list[int]:
        return [int(row[0]) for row in self._rows(self.sql.queue.unmarked, model, limit)]

    def left_behind(self, model: str) -> bool:
        return bool(self._rows(self.sql.queue.left_behind, model))

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        with self.open_session() as session:
            session.must_know(keys)
            return session.of_run(self.sql.queue.put, model, to_micro(at), [int(key) for key in keys])

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        end = to_seconds(to_micro(until))
        due = map(to_job, self._rows(self.sql.queue.jobs_due, model, to_micro(now), limit))
        taken = [replace(each, attempts=each.attempts + 1, next_at=end, holder=holder) for each in due]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        rows = [
            (j.key, j.model, j.attempts, to_micro(j.next_at), j.holder, j.failed, j.error, to_micro(j.done))
            for j in jobs
        ]
        with self.open_session() as session:
            session.of_each_later(self.sql.queue.update, rows)

    def release(self, holder: str, at: float) -> int:
        return self._run(self.sql.queue.release, holder, to_micro(at))

    def retry(self, model: str, at: float) -> int:
        return self._run(self.sql.queue.retry, model, to_micro(at))

    def finish(self, model: str, keys: Sequence[int], *, activates: bool = True) -> None:
        done = [int(key) for key in keys]
        self.activates |= activates
        with self.open_session() as session:
            if activates:
                session.of_later(self.sql.memories.activate, self.revision, done)
            session.of_later(self.sql.queue.remove, model, done)

    def drop(self, model: str) -> int:
        return self._run(self.sql.queue.drop, model)
