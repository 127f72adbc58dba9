"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `statements/memories.sql`.

Parameters are numbered. $1 is the namespace in every statement on rows of one namespace (`session.py`). A list is
one array parameter. `{fields}` is replaced by the columns that are fields of a Memory, `{live}` by the condition
that a memory is current; the caller replaces other braces.
"""

from __future__ import annotations

from pathlib import Path

from combray.stores.statements import FIELDS, Sql

sql = Sql(Path(__file__).parent / "statements", ", ".join(f"${place}" for place in range(1, 10 + len(FIELDS))))
