"""The SQLite file of a LangGraph store.

Source: langgraph-checkpoint-sqlite 3.1, `langgraph/store/sqlite/base.py`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from combray.transfer.formats import databases
from combray.transfer.formats.drafts import Drafts, text_in


def is_store(path: Path) -> bool:
    """Return whether the file has a table of a store."""
    return {"store", "store_migrations"} <= databases.tables(path)


def read(path: Path) -> Drafts:
    """Read every item: what its value says is the content, the value itself is metadata."""
    drafts = Drafts("langgraph")
    for row in databases.rows(path, "SELECT * FROM store ORDER BY created_at, prefix, key"):
        name = f"{row['prefix']}/{row['key']}"
        try:
            value = msgspec.json.decode(row["value"])
        except (msgspec.DecodeError, TypeError) as error:
            drafts.problem(f"item {name}", f"has a value that is not JSON: {error}.", "Fix or delete the item.")
            continue
        about = {"namespace": row["prefix"].split("."), "key": row["key"]}
        said = text_in(value)
        if value not in (said, {"text": said}, {"content": said}):
            about["value"] = value
        times = {ours: _utc(row.get(theirs)) for ours, theirs in _TIMES.items()}
        drafts.add(name, said, f"item {name}", metadata=about, **times)
        drafts.left("times to live that a read renews", int(row.get("ttl_minutes") is not None))
    if "store_vectors" in databases.tables(path):
        drafts.left(
            "vectors of another model", sum(1 for _ in databases.rows(path, "SELECT key FROM store_vectors"))
        )
    return drafts


_TIMES = {"recorded_at": "created_at", "expires_at": "expires_at"}


def _utc(moment: str | None) -> str | None:
    """Return a time of SQLite, which has no zone and is in UTC."""
    if not moment or moment.endswith("Z") or "+" in moment[10:]:
        return moment or None
    return f"{moment}Z"
