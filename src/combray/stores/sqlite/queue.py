"""The queue of vectors to be made: one table, shared by every worker of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from combray.errors import NotFoundError
from combray.runtime.queue import Backlog, Job
from combray.stores.sqlite.rows import to_micro

_SECOND = 1_000_000
_FIELDS = "key, model, added, attempts, next_at, holder, failed, error"
_DUE = "FROM embed_job WHERE namespace = ? AND model = ? AND NOT failed AND next_at <= ?"
_BACKLOGS = """
SELECT model, sum(NOT failed), sum(failed), min(added),
       (SELECT error FROM embed_job AS j WHERE j.namespace = e.namespace AND j.model = e.model AND error <> ''
        ORDER BY next_at DESC, key DESC LIMIT 1)
FROM embed_job AS e WHERE namespace = ? GROUP BY model ORDER BY model
"""
_ORPHANS = """
SELECT key FROM memory AS m WHERE namespace = ?1 AND status = 'pending_embed'
AND NOT EXISTS (SELECT 1 FROM embed_job AS j WHERE j.namespace = ?1 AND j.key = m.key AND j.model = ?2)
ORDER BY key
"""
_LACKING = """
SELECT key FROM memory AS m WHERE namespace = ?1 AND status IN ('active', 'pending_embed')
AND NOT EXISTS (SELECT 1 FROM vector AS v JOIN model AS n ON n.id = v.model AND n.name = ?2
                WHERE v.namespace = ?1 AND v.key = m.key)
ORDER BY key
"""
_LEFT_BEHIND = """
SELECT 1 FROM model AS o JOIN vector AS v ON v.namespace = ?1 AND v.model = o.id
JOIN memory AS m ON m.key = v.key AND m.namespace = ?1 AND m.status IN ('active', 'pending_embed')
WHERE o.name <> ?2
AND NOT EXISTS (SELECT 1 FROM model AS n JOIN vector AS w ON w.namespace = ?1 AND w.model = n.id
                AND w.key = v.key WHERE n.name = ?2)
LIMIT 1
"""
# The plus keeps SQLite off the namespace's indexes: the key is what is rare.
_KNOWN = "SELECT 1 FROM memory WHERE +namespace = ? AND key = ?"
_PUT = """
INSERT INTO embed_job (namespace, key, model, added, attempts, next_at, holder, failed, error)
VALUES (?1, ?2, ?3, ?4, 0, ?4, '', 0, '') ON CONFLICT DO NOTHING
"""
_UPDATE = """
UPDATE embed_job SET attempts = ?, next_at = ?, holder = ?, failed = ?, error = ?
WHERE namespace = ? AND key = ? AND model = ?
"""
_ACTIVATE = """
UPDATE memory SET status = 'active', revision = ? WHERE namespace = ? AND key = ? AND status = 'pending_embed'
"""


class SqliteQueue:
    """Implements `jobs.Queue`. `reading` gives a connection, `number` the namespace's number in it."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[sqlite3.Connection]],
        number: Callable[[sqlite3.Connection], int | None],
    ) -> None:
        self.reading = reading
        self.number = number

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        """Rows of a statement whose first parameter is the namespace."""
        with self.reading() as connection:
            return connection.execute(sql, (self.number(connection), *values)).fetchall()

    def jobs(self, model: str) -> list[Job]:
        """All jobs of a model, by key."""
        sql = f"SELECT {_FIELDS} FROM embed_job WHERE namespace = ? AND model = ? ORDER BY key"
        return [_job(row) for row in self._rows(sql, model)]

    def backlogs(self) -> list[Backlog]:
        """One for each model that has jobs."""
        return [
            Backlog(model, waiting, failed, oldest / _SECOND, error or "")
            for model, waiting, failed, oldest, error in self._rows(_BACKLOGS)
        ]

    def due(self, model: str, now: float) -> bool:
        """Whether there is a job to take."""
        return bool(self._rows(f"SELECT 1 {_DUE} LIMIT 1", model, to_micro(now)))

    def holders(self, model: str) -> list[str]:
        """Who has taken jobs."""
        sql = (
            "SELECT DISTINCT holder FROM embed_job WHERE namespace = ? AND model = ? AND holder <> '' ORDER BY 1"
        )
        return [row[0] for row in self._rows(sql, model)]

    def held(self, model: str, holder: str) -> list[Job]:
        """The jobs that a holder has taken, by key."""
        sql = f"SELECT {_FIELDS} FROM embed_job WHERE namespace = ? AND model = ? AND holder = ? ORDER BY key"
        return [_job(row) for row in self._rows(sql, model, holder)]

    def orphans(self, model: str) -> list[int]:
        """Keys of pending memories without a job of the model."""
        return [int(row[0]) for row in self._rows(_ORPHANS, model)]

    def lacking(self, model: str) -> list[int]:
        """Keys of live memories without a vector of the model."""
        return [int(row[0]) for row in self._rows(_LACKING, model)]

    def left_behind(self, model: str) -> bool:
        """Whether a live memory has a vector of another model and none of this one."""
        return bool(list(self._rows(_LEFT_BEHIND, model)))


class SqliteQueueWriter(SqliteQueue):
    """Implements `jobs.QueueWriter`. `revision` is the one this transaction commits."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[sqlite3.Connection]],
        number: Callable[[sqlite3.Connection], int | None],
        revision: int,
    ) -> None:
        super().__init__(reading, number)
        self.revision = revision

    def _write(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement once a row; how many rows of the table it touched."""
        with self.reading() as connection:
            return connection.executemany(sql, rows).rowcount

    def put(self, model: str, keys: Sequence[int], at: float) -> int:
        """Queue memories; how many are new. Raises NotFoundError for a key of no memory here."""
        with self.reading() as connection:
            number = self.number(connection)
            for key in keys:
                if connection.execute(_KNOWN, (number, key)).fetchone() is None:
                    raise NotFoundError(f"no memory with key {key} in this namespace")
        return max(0, self._write(_PUT, [(number, key, model, to_micro(at)) for key in keys]))

    def take(self, model: str, holder: str, now: float, until: float, limit: int) -> list[Job]:
        """Lease at most `limit` due jobs, the longest due first."""
        sql = f"SELECT {_FIELDS} {_DUE} ORDER BY next_at, key LIMIT ?"
        due = [_job(row) for row in self._rows(sql, model, to_micro(now), limit)]
        end = to_micro(until) / _SECOND
        taken = [
            Job(each.key, model, each.added, each.attempts + 1, end, holder, error=each.error) for each in due
        ]
        self.update(taken)
        return taken

    def update(self, jobs: Sequence[Job]) -> None:
        """Replace jobs; those that are gone stay gone."""
        with self.reading() as connection:
            number = self.number(connection)
        rows = [
            (
                each.attempts,
                to_micro(each.next_at),
                each.holder,
                int(each.failed),
                each.error,
                number,
                each.key,
                each.model,
            )
            for each in jobs
        ]
        self._write(_UPDATE, rows)

    def release(self, holder: str, at: float) -> int:
        """Give back what a holder has taken."""
        with self.reading() as connection:
            sql = "UPDATE embed_job SET holder = '', next_at = ? WHERE namespace = ? AND holder = ?"
            return connection.execute(sql, (to_micro(at), self.number(connection), holder)).rowcount

    def retry(self, model: str, at: float) -> int:
        """Make the jobs that were given up due again."""
        with self.reading() as connection:
            sql = (
                "UPDATE embed_job SET failed = 0, attempts = 0, next_at = ? "
                "WHERE namespace = ? AND model = ? AND failed"
            )
            return connection.execute(sql, (to_micro(at), self.number(connection), model)).rowcount

    def finish(self, model: str, keys: Sequence[int]) -> None:
        """Remove jobs that are done; pending memories become active."""
        with self.reading() as connection:
            number = self.number(connection)
        self._write(_ACTIVATE, [(self.revision, number, key) for key in keys])
        sql = "DELETE FROM embed_job WHERE namespace = ? AND key = ? AND model = ?"
        self._write(sql, [(number, key, model) for key in keys])

    def drop(self, model: str) -> int:
        """Forget all jobs of a model."""
        with self.reading() as connection:
            sql = "DELETE FROM embed_job WHERE namespace = ? AND model = ?"
            return connection.execute(sql, (self.number(connection), model)).rowcount


def _job(row: Sequence[Any]) -> Job:
    key, model, added, attempts, next_at, holder, failed, error = row
    return Job(key, model, added / _SECOND, attempts, next_at / _SECOND, holder, bool(failed), error)
