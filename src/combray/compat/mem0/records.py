"""Memories, hits and versions as mem0's clients read them."""

from __future__ import annotations

from typing import Any

from combray.engine import Engine
from combray.transfer.scopes import entities_of
from combray.types import Hit, Memory, Version

_DELETING = ("forget", "erase")


def of_memory(engine: Engine, memory: Memory) -> dict[str, Any]:
    """Return a memory as mem0 has it. `created_at` is the moment that it is about, as with mem0's `timestamp`."""
    key = engine.reader.keys_of([memory.id]).get(memory.id)
    versions = [] if key is None else engine.reader.history(key)
    changed = versions[-1].changed_at if versions else memory.recorded_at
    return {
        "id": memory.id,
        "memory": memory.content,
        **entities_of(memory.tags),
        "hash": memory.content_hash,
        "metadata": memory.metadata or None,
        "categories": [memory.category],
        "role": "assistant" if memory.source == "agent" else "user",
        "actor_id": memory.author,
        "created_at": memory.moment.isoformat(),
        "updated_at": changed.isoformat(),
        "expiration_date": memory.expires_at.date().isoformat() if memory.expires_at else None,
    }


def of_hit(engine: Engine, hit: Hit) -> dict[str, Any]:
    """Return a hit as mem0 has it."""
    return of_memory(engine, hit.memory) | {"score": hit.score}


def of_versions(memory: Memory, versions: list[Version]) -> list[dict[str, Any]]:
    """Return the changes of a memory as mem0's events, oldest first."""
    new: str | None = memory.content
    found = []
    for version in reversed(versions):
        old = version.before.get("content", new)
        deleted = version.operation in _DELETING
        event = "DELETE" if deleted else "UPDATE"
        said = None if deleted else new
        found.append(_event(memory, f"{memory.id}/{version.number}", old, said, event, version.changed_at))
        new = old
    found.append(_event(memory, f"{memory.id}/0", None, new, "ADD", memory.recorded_at))
    return found[::-1]


def _event(
    memory: Memory, number: str, old: str | None, new: str | None, event: str, changed_at: Any
) -> dict[str, Any]:
    return {
        "id": number,
        "memory_id": memory.id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": memory.recorded_at.isoformat(),
        "updated_at": changed_at.isoformat(),
        "is_deleted": event == "DELETE",
        "actor_id": memory.author,
        "role": "assistant" if memory.source == "agent" else "user",
        "user_id": entities_of(memory.tags)["user_id"],
    }
