"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `statements/memories.sql`.

What is not there is said as in SQLite: `stores/statements/`.

Parameters are numbered. $1 is the namespace in every statement on rows of one namespace (`session.py`). A list is
one array parameter. `{fields}` is replaced by the columns that are fields of a Memory, `{live}` by the condition
that a memory is current; the caller replaces other braces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from combray.records import dataclass
from combray.stores.conditions import ConditionSql, Fragment, needle
from combray.stores.session import StoreSession
from combray.stores.statements import FIELDS, Sql
from combray.where import Compare, matches_data

_marks = ", ".join(f"${place}" for place in range(1, 10 + len(FIELDS)))
sql = Sql(_marks, Path(__file__).parent / "statements", "$")

_decode = msgspec.json.decode


@dataclass(frozen=True, slots=True)
class PostgresConditions(ConditionSql):
    """Conditions for PostgreSQL. Metadata are those of the memories with a revision after `since`."""

    session: StoreSession
    since: int

    def listed(self, values: Sequence[Any]) -> Fragment:
        return ", ".join("?" * len(values)), list(values)

    def labelled(self, sort: str, names: Sequence[Any]) -> Fragment:
        return sql.selections.labelled, [sort, names]

    def metadata(self, compare: Compare) -> Fragment:
        """Return the list of the memories that meet it: JSON paths do not compare as the filter language."""
        text = needle(compare)
        asked = (sql.selections.any_metadata,) if text is None else (sql.selections.metadata, text)
        rows = self.session.of_rows(asked[0], self.since, *asked[1:])
        meeting = [key for key, data in rows if matches_data(compare, _decode(data))]
        return "memory.key = ANY(?::bigint[])", [meeting]
