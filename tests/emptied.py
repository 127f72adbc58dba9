"""A PostgreSQL database that tests share: each finds it empty."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

EMPTY = """
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'setting' LOOP
        EXECUTE format('DELETE FROM {schema}.%I', name);
    END LOOP;
    DELETE FROM {schema}.setting WHERE setting.name LIKE 'audit%';
END
$$
"""


_KEPT: dict[tuple[str, str], psycopg.Connection] = {}


@dataclass(frozen=True)
class Emptied:
    """A database whose tables can be emptied faster than made."""

    url: str
    schema: str = "combray"

    def empty(self) -> None:
        """Remove every row but the settings."""
        connection = self._connected()
        if connection.execute("SELECT to_regclass('memory')").fetchone() == (None,):
            return
        connection.execute(EMPTY.format(schema=self.schema).encode())
        self.rewind()

    def _connected(self) -> psycopg.Connection:
        """Return a connection that stays: a new one would first read what it needs to know of 200 relations."""
        kept = _KEPT.get((self.url, self.schema))
        if kept is None or kept.closed:
            plain = self.url.partition("&schema=")[0]
            kept = psycopg.connect(plain, autocommit=True, options=f"-csearch_path={self.schema}")
            _KEPT[self.url, self.schema] = kept
        return kept

    def rewind(self) -> None:
        """Give back the keys and numbers that no row has."""
        connection = self._connected()
        last = connection.execute("SELECT coalesce(max(key), 0) FROM memory").fetchone()
        connection.execute("SELECT setval('memory_key', %s + 1, false)", last)
        number = connection.execute("SELECT coalesce(max(number), 0) FROM operation").fetchone()
        connection.execute("SELECT setval('operation_number_seq', %s + 1, false)", number)
