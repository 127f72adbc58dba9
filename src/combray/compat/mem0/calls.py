"""What mem0's calls do: with the engine of one namespace and what the request gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

from combray.compat.mem0.filters import where_of
from combray.engine import Engine
from combray.errors import InvalidInputError, NotFoundError
from combray.sessions.messages import PROMPTS, text_of
from combray.transfer.scopes import ENTITIES, entities_of, tag_of
from combray.types import Hit, Memory, MemoryItem, Version

_EVENTS = {"added": "ADD", "untrusted": "ADD", "replaced": "UPDATE", "skipped": "NONE", "quarantined": "NONE"}
"""What became of a text -> mem0's name of it."""
_MOST = 1000
_GONE = "There is no memory with this id."
_TYPES = {"user": "user_id", "agent": "agent_id", "app": "app_id", "run": "run_id"}
_DELETING = ("forget", "erase")


def add(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Store each message as a memory, as mem0 does with `infer=False`: no model extracts facts."""
    tags = [tag_of(field, value) for field, value in _entities(given).items()]
    if not tags:
        raise InvalidInputError("user_id", "is missing.", f"Give at least one of {', '.join(ENTITIES)}.")
    messages = _messages(given.get("messages"))
    items = [_item(each, tags, given) for each in messages]
    # One transaction: a request that fails stores nothing.
    kept = engine.remember_many(items, batch=len(items), atomic=True) if items else []
    results = [
        {
            "id": stored.id,
            "memory": message["content"],
            "event": _EVENTS[stored.action],
            "role": message["role"],
            "actor_id": message.get("name"),
        }
        for message, stored in zip(messages, kept, strict=True)
    ]
    return {"results": results}


def _messages(given: Any) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(messages, list) or not messages:
        raise InvalidInputError("messages", "must be a list of messages that is not empty.")
    for each in messages:
        given_both = isinstance(each, Mapping) and isinstance(each.get("role"), str)
        if not given_both or not isinstance(each.get("content"), (str, list)):
            raise InvalidInputError("messages", "must have a role and a content in each message.")
    # A message of parts without text, such as a picture, has nothing to remember.
    found = [{**each, "content": text_of(each["content"])} for each in messages if each["role"] not in PROMPTS]
    return [each for each in found if each["content"].strip()]


def _item(message: Mapping[str, Any], tags: list[str], given: Mapping[str, Any]) -> MemoryItem:
    item: dict[str, Any] = {"content": message["content"], "tags": tags}
    if message["role"] != "user":
        item |= {"source": "agent", "trust": "agent"}
    if message.get("name") is not None:
        item["author"] = message["name"]
    times = {"timestamp": "occurred_at", "expiration_date": "expires_at", "metadata": "metadata"}
    item |= {ours: given[name] for name, ours in times.items() if given.get(name) is not None}
    return cast(MemoryItem, item)


def search(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hits of a query, best first."""
    query = given.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InvalidInputError("query", "must be a text that is not empty.")
    limit = _number(given, ("top_k", "limit"), 10)
    least = given.get("threshold")
    if least is not None and (isinstance(least, bool) or not isinstance(least, (int, float))):
        raise InvalidInputError("threshold", "must be a number.")
    answer = engine.recall(query, limit=limit, where=where_of(_filters(given)), min_score=least)
    return {"results": [of_hit(engine, hit) for hit in answer]}


def get_all(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return one page of the memories of an entity, newest first."""
    where = where_of(_filters(given))
    size = _number(given, ("page_size", "top_k", "limit"), 100)
    number = _number(given, ("page",), 1, most=1_000_000)
    page = engine.list(where, limit=size)
    total = page.total
    for _ in range(number - 1):
        if page.cursor is None:
            return {"count": total, "next": None, "previous": None, "results": []}
        page = engine.list(where, limit=size, after=page.cursor)
    return {
        "count": total,
        "next": f"?page={number + 1}&page_size={size}" if page.cursor else None,
        "previous": f"?page={number - 1}&page_size={size}" if number > 1 else None,
        "results": [of_memory(engine, each) for each in page.memories],
    }


def get(engine: Engine, memory_id: str) -> dict[str, Any]:
    """Return a memory."""
    return of_memory(engine, _shown(engine, memory_id))


def update(engine: Engine, memory_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Change text, metadata or times of a memory."""
    _shown(engine, memory_id)
    names = {"data": "content", "memory": "content", "text": "content", "metadata": "metadata"}
    names |= {"timestamp": "occurred_at", "expiration_date": "expires_at"}
    changes = {ours: given[name] for name, ours in names.items() if name in given}
    if not changes:
        raise InvalidInputError("text", "is missing.", "Give text, metadata, timestamp or expiration_date.")
    changed = engine.update(memory_id, **changes)
    return of_memory(engine, changed) | {"message": "Memory updated successfully!"}


def delete(engine: Engine, memory_id: str) -> dict[str, Any]:
    """Hide a memory. `restore` brings it back; `erase` destroys it."""
    _shown(engine, memory_id)
    engine.forget(memory_id)
    return {"message": "Memory deleted successfully!"}


def delete_all(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Hide all memories of an entity. Refused without one."""
    where = where_of(_filters(given))
    _forget(engine, [each.id for each in _every(engine, where)])
    return {"message": "Memories deleted successfully!"}


def reset(engine: Engine) -> dict[str, Any]:
    """Hide the memories of every entity. Memories that are for no entity stay."""
    _forget(engine, [each.id for each in _every(engine, None) if any(entities_of(each.tags).values())])
    return {"message": "All memories reset"}


def history(engine: Engine, memory_id: str) -> list[dict[str, Any]]:
    """Return the changes of a memory, oldest first, also of a deleted one."""
    return of_versions(engine.get(memory_id), engine.history(memory_id))


def update_many(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Change several memories, if all of them exist."""
    listed = _listed(given)
    for each in listed:
        _shown(engine, each["memory_id"])
    for each in listed:
        update(engine, each["memory_id"], each)
    return {"message": f"Successfully updated {len(listed)} memories"}


def delete_many(engine: Engine, given: Mapping[str, Any]) -> dict[str, Any]:
    """Hide several memories in one transaction, if all of them exist."""
    ids = [_shown(engine, each["memory_id"]).id for each in _listed(given)]
    engine.forget(ids)
    return {"message": f"Successfully deleted {len(ids)} memories"}


def entities(engine: Engine) -> dict[str, Any]:
    """Return every user, agent, app and run that memories are for, with their number."""
    counts: Counter[tuple[str, str]] = Counter()
    for memory in _every(engine, None):
        found = entities_of(memory.tags)
        counts.update((kind, name) for kind, field in _TYPES.items() if (name := found[field]))
    results = [
        {"id": f"{kind}:{name}", "type": kind, "name": name, "total_memories": count}
        for (kind, name), count in sorted(counts.items())
    ]
    return {"count": len(results), "next": None, "previous": None, "results": results}


def delete_entity(engine: Engine, kind: str, name: str) -> dict[str, Any]:
    """Hide all memories of one entity."""
    if kind not in _TYPES:
        raise NotFoundError(f"There is no type of entities {kind!r}. Types: {', '.join(_TYPES)}.")
    return delete_all(engine, {_TYPES[kind]: name})


def _entities(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entities that a request names, at its top or in flat filters."""
    filters = given.get("filters") or {}
    if not isinstance(filters, Mapping):
        raise InvalidInputError("filters", "must be an object.")
    return {
        name: value for each in (filters, given) for name, value in each.items() if name in ENTITIES and value
    }


def _filters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters of a request and the entities at its top as one."""
    filters = given.get("filters") or {}
    if not isinstance(filters, Mapping):
        raise InvalidInputError("filters", "must be an object.")
    own = {name: given[name] for name in ENTITIES if given.get(name)}
    return {"AND": [dict(filters), own]} if filters and own else dict(filters) or own


def _every(engine: Engine, where: dict[str, Any] | None) -> Iterator[Memory]:
    page = engine.list(where, limit=_MOST)
    yield from page.memories
    while page.cursor:
        page = engine.list(where, limit=_MOST, after=page.cursor)
        yield from page.memories


def _forget(engine: Engine, ids: list[str]) -> None:
    for start in range(0, len(ids), _MOST):
        engine.forget(ids[start : start + _MOST])


def _shown(engine: Engine, memory_id: str) -> Memory:
    """Return a memory that mem0's calls may see: not a forgotten or quarantined one. Raises NotFoundError."""
    memory = engine.get(memory_id)
    if memory.status == "forgotten" or memory.trust == "quarantined":
        raise NotFoundError(_GONE)
    return memory


def _listed(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = given.get("memories")
    if not isinstance(listed, list) or not listed or len(listed) > _MOST:
        raise InvalidInputError("memories", f"must be a list of 1 to {_MOST} objects.")
    if not all(isinstance(each, Mapping) and isinstance(each.get("memory_id"), str) for each in listed):
        raise InvalidInputError("memories", "must have a memory_id in each object.")
    return listed


def _number(given: Mapping[str, Any], names: tuple[str, ...], default: int, most: int = _MOST) -> int:
    """Return the first of these fields that is given. In a query it is a text."""
    name, value = next(
        ((each, given[each]) for each in names if given.get(each) is not None), (names[0], default)
    )
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= most:
        raise InvalidInputError(name, f"must be a whole number between 1 and {most}.")
    return int(text)


# -- memories, hits and versions as mem0's clients read them -------------------------------------


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
