"""Memory stores of other tools in SQLite, read only: a LangGraph store, and mem0's local Qdrant; mem0's JSON too.

Sources: langgraph-checkpoint-sqlite 3.1, `langgraph/store/sqlite/base.py`; mem0ai 2.2, `Memory.get_all` and
`SQLiteManager`; qdrant-client 1.20.0, `local/persistence.py`, which pickles each point. A pickle can run code, so
only the classes of points are made, and as plain objects.
"""

from __future__ import annotations

import io
import pickle
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from combray.errors import InvalidInputError
from combray.transfer.formats.drafts import Drafts, labels, loaded_json, objects, text_in
from combray.transfer.scopes import ENTITIES, tag_of

_OWN = frozenset(
    (
        "data", "hash", "created_at", "updated_at", "role", "actor_id", "text_lemmatized", "attributed_to",
        "expiration_date", "memory", "id", "metadata", "score", "categories", *ENTITIES,
    )
)  # fmt: skip
"""Fields of mem0's payloads; others are metadata."""
_COLLECTION = "storage.sqlite"


def _tables(path: Path) -> set[str]:
    """Return the names of the tables. Raises InvalidInputError."""
    return {row["name"] for row in _rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


def _rows(path: Path, query: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query as mappings. Raises InvalidInputError."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            for row in database.execute(query):
                yield dict(row)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        problem = f"cannot be read as SQLite: {error}."
        raise InvalidInputError(path.name, problem, "Close the program that uses it, or copy it anew.") from None


# -- LangGraph -----------------------------------------------------------------------------------


def is_langgraph(path: Path) -> bool:
    """Return whether the file has a table of a store."""
    return {"store", "store_migrations"} <= _tables(path)


def read_langgraph(path: Path) -> Drafts:
    """Read every item: what its value says is the content, the value itself is metadata."""
    drafts = Drafts("langgraph")
    for row in _rows(path, "SELECT * FROM store ORDER BY created_at, prefix, key"):
        # A slash in a namespace is not the one before the key.
        prefix = row["prefix"].replace("%", "%25").replace("/", "%2F")
        name = f"{prefix}/{row['key']}"
        try:
            value = msgspec.json.decode(row["value"])
        except (msgspec.DecodeError, TypeError) as error:
            drafts.problem(f"item {name}", f"has a value that is not JSON: {error}.", "Fix or delete the item.")
            continue
        about = {"namespace": row["prefix"].split("."), "key": row["key"]}
        said = text_in(value)
        if value not in (said, {"text": said}, {"content": said}):
            about["value"] = value
        made, ends = _utc(row.get("created_at")), _utc(row.get("expires_at"))
        drafts.add(name, said, f"item {name}", metadata=about, recorded_at=made, expires_at=ends)
        drafts.left("times to live that a read renews", int(row.get("ttl_minutes") is not None))
    if "store_vectors" in _tables(path):
        drafts.left("vectors of another model", sum(1 for _ in _rows(path, "SELECT key FROM store_vectors")))
    return drafts


def _utc(moment: str | None) -> str | None:
    """Return a time of SQLite, which has no zone and is in UTC."""
    if not moment or moment.endswith("Z") or "+" in moment[10:]:
        return moment or None
    return f"{moment}Z"


# -- mem0 ----------------------------------------------------------------------------------------


def is_mem0(value: Any) -> bool:
    """Return whether a JSON value is what `get_all` returns, or its list."""
    listed = value.get("results", value.get("memories")) if isinstance(value, Mapping) else value
    first = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(first, Mapping) and isinstance(first.get("memory"), str) and "id" in first


def read_mem0(path: Path) -> Drafts:
    """Read a JSON export, or the folder of a local Qdrant."""
    drafts = Drafts("mem0")
    if path.is_dir():
        _read_qdrant(path, drafts)
        return drafts
    value = loaded_json(path)
    listed = value.get("results", value.get("memories")) if isinstance(value, Mapping) else value
    for place, each in objects(drafts, listed, "memory"):
        _add(drafts, str(each.get("id") or place), each.get("memory"), each, each.get("metadata"), place)
    return drafts


def mem0_collections(path: Path) -> list[Path]:
    """Return the collections of memories in a folder of a local Qdrant. Entities are kept in others."""
    found = sorted(path.rglob(_COLLECTION))
    return [each for each in found if not each.parent.name.endswith(("_entities", "migrations"))]


def _read_qdrant(path: Path, drafts: Drafts) -> None:
    """Read the points of every collection, and count the changes that the history keeps."""
    for each in mem0_collections(path):
        for row in _rows(each, "SELECT point FROM points ORDER BY rowid"):
            try:
                point = _Points(io.BytesIO(row["point"])).load().fields
                payload, name = point["payload"] or {}, str(point["id"])
                if not isinstance(payload, Mapping):
                    raise TypeError(payload)
            except Exception:  # noqa: BLE001 - a damaged pickle raises anything
                drafts.problem(
                    each.parent.name, "has a point that cannot be read.", "Export it with mem0 as JSON."
                )
                continue
            more = {key: value for key, value in payload.items() if key not in _OWN}
            _add(drafts, name, payload.get("data"), payload, more, f"point {name}")
            drafts.left("vectors of another model")
    for each in (path / "history.db", path.parent / "history.db"):
        if each.is_file() and "history" in _tables(each):
            drafts.left("earlier states in history.db", sum(1 for _ in _rows(each, "SELECT id FROM history")))
            break


def _add(drafts: Drafts, name: str, text: Any, given: Mapping[str, Any], metadata: Any, place: str) -> None:
    try:
        tags = [tag_of(field, given[field]) for field in ENTITIES if given.get(field)]
    except InvalidInputError as error:
        drafts.problem(place, str(error))
        return
    agent = given.get("role") == "assistant"
    drafts.left("categories", len(given.get("categories") or ()))
    drafts.add(
        name,
        text,
        place,
        tags=labels(tags),
        metadata=metadata if isinstance(metadata, Mapping) else {},
        author=given.get("actor_id"),
        source="agent" if agent else None,
        trust="agent" if agent else None,
        recorded_at=given.get("created_at"),
        expires_at=given.get("expiration_date"),
    )


class _Plain:
    """A point, with what its pickle says of it."""

    fields: dict[str, Any]

    def __setstate__(self, state: Any) -> None:
        self.fields = state["__dict__"] if isinstance(state, dict) and "__dict__" in state else state


class _Points(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("qdrant_client.") and name == "PointStruct":
            return _Plain
        raise pickle.UnpicklingError(f"{module}.{name} is no point")
