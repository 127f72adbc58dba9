"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `../statements/memories.sql`.

The parameters of a statement are numbered, and ?1 is the namespace in every statement on rows of one namespace
(`session.py`). A list is one JSON parameter, so a statement has one text for any number of keys. `{fields}` is
replaced by the columns that are fields of a Memory, `{live}` by the condition that a memory is current; the
caller replaces other braces. PRAGMA, BEGIN, COMMIT and VACUUM are written where they are used.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from combray.stores.conditions import ConditionSql, Fragment, needle
from combray.stores.rows import listed
from combray.stores.statements import FIELDS, Sql
from combray.where import Compare, matches_data

sql = Sql(", ".join("?" * (8 + len(FIELDS))))

METADATA_MATCHES = "metadata_matches"
_FEW = 8

_decode = msgspec.json.decode
_decode_spec = msgspec.json.Decoder(tuple[str, str, tuple[Any, ...], tuple[str, ...]]).decode


def register(connection: sqlite3.Connection) -> None:
    """Make the function known that compares metadata."""
    connection.create_function(METADATA_MATCHES, 2, _metadata_matches, deterministic=True)


def _metadata_matches(metadata: str, spec: str) -> bool:
    return matches_data(_compare_of(spec), _decode(metadata))


@lru_cache(maxsize=64)
def _compare_of(spec: str) -> Compare:
    operator, sort, values, path = _decode_spec(spec)
    return Compare("metadata", operator, sort, values, path)  # type: ignore[arg-type]


class SqliteConditions(ConditionSql):
    """Conditions for SQLite. A Python function compares metadata.

    A JSON path of SQLite cannot name every key, and `json_extract` truncates texts at a NUL. `instr` skips the
    rows that cannot hold the text or key (300,000 memories: 0.4 s, with `json_extract` 0.6 s).
    """

    def listed(self, values: Sequence[Any]) -> Fragment:
        """Few values as parameters of their own, many as one: builds of SQLite elsewhere allow as few as 999."""
        if len(values) <= _FEW:
            return ", ".join("?" * len(values)), list(values)
        return sql.selections.listed, [listed(values)]

    def labelled(self, sort: str, names: Sequence[Any]) -> Fragment:
        listed, bound = self.listed(names)
        return sql.selections.labelled.format(listed=listed), [sort, *bound]

    def metadata(self, compare: Compare) -> Fragment:
        spec = msgspec.json.encode((compare.operator, compare.sort, compare.values, compare.path)).decode()
        matched = f"{METADATA_MATCHES}(memory.metadata, ?)"
        text = needle(compare)
        if text is None:
            return matched, [spec]
        return f"(instr(memory.metadata, ?) > 0 AND {matched})", [text, spec]
