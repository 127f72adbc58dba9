"""Every SQL statement of the store, by name: `sql.memories.whole` is `whole` in `statements/memories.sql`.

The parameters of a statement are numbered, and ?1 is the namespace in every statement on rows of one namespace
(`session.py`). A list is one JSON parameter, so a statement has one text for any number of keys. `{fields}` is
replaced by the columns that are fields of a Memory, `{live}` by the condition that a memory is current; the
caller replaces other braces. PRAGMA, BEGIN, COMMIT and VACUUM are written where they are used.
"""

from __future__ import annotations

from pathlib import Path

from combray.stores.statements import FIELDS, Sql

sql = Sql(Path(__file__).parent / "statements", ", ".join("?" * (8 + len(FIELDS))))
