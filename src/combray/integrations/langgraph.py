"""LangGraph: a `BaseStore` over an engine. Needs the extra `langgraph`.

Each namespace tuple is a namespace of the engine, so nothing crosses. An item is one memory whose id follows from
namespace and key: a put replaces, and never merges by similarity. The value is in the memory's metadata, exactly;
the content is the text that `search` looks at. https://reference.langchain.com/python/langgraph/store/
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from combray.engine import Engine
from combray.errors import InvalidInputError, MissingExtraError
from combray.integrations.langgraph_values import fits, matches, text_of, where_of
from combray.integrations.records import erase_where, label, named, pages, put, record_id
from combray.types import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise MissingExtraError("The LangGraph store", "langgraph") from error

__all__ = ["CombrayStore"]

_KEPT = "langgraph"
"""Where a memory's metadata has the item."""
_PAGE, _LEAST_PAGE = 1_000, 100


class CombrayStore(BaseStore):
    """A store of LangGraph in an engine. Close the engine, not the store.

    `search` with a query puts what recall finds first, with its score. The other items follow, as in
    `InMemoryStore`: with the score 0, or None if they are not indexed. Drop both to get only what was found.
    `fields` are the paths whose text is searched, as in `IndexConfig`; "$" is the whole value. `ttl` is a
    `TTLConfig`; an expired item is not returned, and `sweep_ttl` erases it. Each put keeps the version before in
    the memory's history; `delete` erases both. The engine's guard redacts secrets; a put that it quarantines is
    not returned, and warns.
    """

    supports_ttl = True

    def __init__(self, engine: Engine, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None) -> None:
        self._engine = engine
        self._root = label(engine.namespace)
        self._fields = tuple(fields)
        self.ttl_config = ttl
        self._stopped = threading.Event()
        self._sweeper: threading.Thread | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations. Reads see the store before the writes; the last of several puts on a key holds."""
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
        results: list[Result] = [None] * len(listed)
        puts: dict[str, dict[str, PutOp]] = {}
        for place, op in enumerate(listed):
            if isinstance(op, PutOp):
                puts.setdefault(self._name(op.namespace), {})[op.key] = op
            elif isinstance(op, GetOp):
                results[place] = self._get(op)
            elif isinstance(op, SearchOp):
                results[place] = self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[place] = self._listed(op)
            else:
                raise InvalidInputError("ops", f"{op!r} is not an operation of a store.")
        for name, of_keys in puts.items():
            self._put(name, list(of_keys.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Erase the expired items of every namespace. Return how many there were."""
        past = {"expires_at": {"lte": self._now()}}
        count = 0
        for name in self._names(()):
            engine = self._engine.within(name)
            expired = [each.id for each in pages(engine, past) if _KEPT in each.metadata]
            if expired:
                count += engine.erase(expired).count
        return count

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweep in a thread at the interval of the TTL configuration, 5 minutes by default."""
        wait = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        if self._sweeper is None or not self._sweeper.is_alive():
            self._stopped.clear()
            self._sweeper = threading.Thread(target=self._sweep_until_stopped, args=(60 * wait,), daemon=True)
            self._sweeper.start()

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop the sweeping thread. Return whether it ended within `timeout` seconds."""
        self._stopped.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
        return self._sweeper is None or not self._sweeper.is_alive()

    def _sweep_until_stopped(self, seconds: float) -> None:
        while not self._stopped.wait(seconds):
            self.sweep_ttl()

    # -- names -------------------------------------------------------------------------------------

    def _name(self, namespace: tuple[str, ...]) -> str:
        if not namespace:
            raise InvalidInputError("namespace", "is empty.", "Give at least one label.")
        return "/".join((self._root, *map(label, namespace)))

    def _names(self, prefix: tuple[str, ...]) -> list[str]:
        """The engine's namespaces at and below a prefix, sorted."""
        above = "/".join((self._root, *map(label, prefix)))
        known = self._engine.store.namespaces()
        return sorted(each for each in known if (prefix and each == above) or each.startswith(f"{above}/"))

    def _listed(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = set()
        for name in self._names(()):
            namespace = named(name)
            conditions = op.match_conditions or ()
            if all(fits(each.match_type, each.path, namespace) for each in conditions) and self._holds(name):
                found.add(namespace[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]

    def _holds(self, name: str) -> bool:
        """Whether a namespace has an item: it stays known to the engine when the last one is erased."""
        return self._engine.list(self._live(), limit=1, namespaces=[name]).total > 0

    def _live(self, *conditions: Mapping[str, Any]) -> dict[str, Any]:
        """A filter of items that have not expired."""
        lasts = [{"expires_at": {"exists": False}}, {"expires_at": {"gt": self._now()}}]
        return {"and": [{f"metadata.{_KEPT}.key": {"exists": True}}, {"or": lasts}, *conditions]}

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._engine.runtime.clock(), UTC)

    # -- reads -------------------------------------------------------------------------------------

    def _get(self, op: GetOp) -> Item | None:
        name = self._name(op.namespace)
        found = self._engine.list(self._live({"id": record_id(name, op.key)}), limit=1, namespaces=[name])
        if not found:
            return None
        if op.refresh_ttl:
            self._refresh(found)
        return _item(Item, found[0])

    def _search(self, op: SearchOp) -> list[SearchItem]:
        names = self._names(op.namespace_prefix)
        if not names or op.limit < 1:
            return []
        narrowed, whole = where_of(f"metadata.{_KEPT}.value", op.filter or {})
        where = self._live(*narrowed)
        most = op.offset + op.limit
        found: dict[str, tuple[Memory, float | None]] = {}
        if op.query and op.query.strip():
            asked = {**where, f"metadata.{_KEPT}.indexed": True}
            limit = min(most, _PAGE) if whole else _PAGE
            answer = self._engine.recall(op.query, limit=limit, keep=0.0, where=asked, namespaces=names)
            for hit in answer:
                if whole or matches(_value(hit.memory), op.filter):
                    found[hit.memory.id] = (hit.memory, hit.score)
        lacking = most - len(found)
        for memory in pages(self._engine, where, names, max(most + 1, _LEAST_PAGE)) if lacking > 0 else ():
            if len(found) >= most:
                break
            if memory.id not in found and (whole or matches(_value(memory), op.filter)):
                ranked = bool(op.query) and memory.metadata[_KEPT]["indexed"]
                found[memory.id] = (memory, 0.0 if ranked else None)
        shown = list(found.values())[op.offset : most]
        if op.refresh_ttl:
            self._refresh([memory for memory, _ in shown])
        return [_item(SearchItem, memory, score=score) for memory, score in shown]

    def _refresh(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            minutes = memory.metadata[_KEPT].get("ttl")
            if minutes is not None:
                lasts = self._now() + timedelta(minutes=minutes)
                self._engine.within(memory.namespace).update(memory.id, expires_at=lasts)

    # -- writes ------------------------------------------------------------------------------------

    def _put(self, name: str, ops: Sequence[PutOp]) -> None:
        engine = self._engine.within(name)
        wanted = {record_id(name, op.key): op for op in ops}
        gone = [each for each, op in wanted.items() if op.value is None]
        if gone:
            erase_where(engine, {"id": {"in": gone}})
        put(engine, {each: self._fields_of(op) for each, op in wanted.items() if op.value is not None})

    def _fields_of(self, op: PutOp) -> dict[str, Any]:
        value = dict(op.value or {})
        indexed = op.index is not False
        text = ""
        if indexed:
            paths = self._fields if op.index is None else op.index
            texts = (
                [text_of(value)]
                if "$" in paths
                else [each for path in paths for each in get_text_at_path(value, path)]
            )
            text = "\n".join(each for each in texts if each.strip())
        kept = {"key": op.key, "value": value, "indexed": bool(text), "updated_at": self._now().isoformat()}
        lasts = None
        if op.ttl is not None:
            kept["ttl"] = op.ttl
            lasts = self._now() + timedelta(minutes=op.ttl)
        # A memory has words: the key where the value is not to be searched.
        return {
            "source": _KEPT,
            "content": text or op.key.strip() or "-",
            "metadata": {_KEPT: kept},
            "expires_at": lasts,
        }


def _value(memory: Memory) -> dict[str, Any]:
    value: dict[str, Any] = memory.metadata[_KEPT]["value"]
    return value


def _item(kind: Any, memory: Memory, **score: float | None) -> Any:
    kept = memory.metadata[_KEPT]
    return kind(
        value=kept["value"],
        key=kept["key"],
        namespace=named(memory.namespace),
        created_at=memory.recorded_at,
        updated_at=datetime.fromisoformat(kept["updated_at"]),
        **score,
    )
