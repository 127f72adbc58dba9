"""mem0: its JSON export, and the folder of its local Qdrant with the history beside it.

Sources: mem0ai 2.2, `Memory.get_all` and `SQLiteManager`; qdrant-client 1.20.0, `local/persistence.py`,
which pickles each point. A pickle can run code, so only the classes of points are made, and as plain objects.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from combray.errors import InvalidInputError
from combray.transfer.formats import databases
from combray.transfer.formats.drafts import Drafts, labels, objects
from combray.transfer.scopes import ENTITIES, tag_of

_OWN = {
    "data",
    "hash",
    "created_at",
    "updated_at",
    "role",
    "actor_id",
    "text_lemmatized",
    "attributed_to",
    "expiration_date",
    "memory",
    "id",
    "metadata",
    "score",
    "categories",
    *ENTITIES,
}
_COLLECTION = "storage.sqlite"


def is_export(value: Any) -> bool:
    """Return whether a JSON value is what `get_all` returns, or its list."""
    listed = value.get("results", value.get("memories")) if isinstance(value, Mapping) else value
    first = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(first, Mapping) and isinstance(first.get("memory"), str) and "id" in first


def read_export(value: Any) -> Drafts:
    """Read a JSON export."""
    drafts = Drafts("mem0")
    listed = value.get("results", value.get("memories")) if isinstance(value, Mapping) else value
    for place, each in objects(drafts, listed, "memory"):
        _add(drafts, str(each.get("id") or place), each.get("memory"), each, each.get("metadata"), place)
    return drafts


def collections(path: Path) -> list[Path]:
    """Return the collections of memories in a folder of a local Qdrant. Entities are kept in others."""
    found = sorted(path.rglob(_COLLECTION))
    return [each for each in found if not each.parent.name.endswith(("_entities", "migrations"))]


def read_folder(path: Path) -> Drafts:
    """Read the points of every collection, and count the changes that the history keeps."""
    drafts = Drafts("mem0")
    for each in collections(path):
        for row in databases.rows(each, "SELECT point FROM points ORDER BY rowid"):
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
        if each.is_file() and "history" in databases.tables(each):
            drafts.left(
                "earlier states in history.db", sum(1 for _ in databases.rows(each, "SELECT id FROM history"))
            )
            break
    return drafts


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
