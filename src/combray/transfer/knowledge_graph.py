"""The knowledge graph of the reference memory server, kept as memories: reading, writing, and its JSONL file.

Each entity, observation and relation is one memory, so that writers in several processes add rows and never
overwrite one another. Names that two processes create at once are merged when they are read. `MemoryFile` keeps
such a file equal to the graph.

Source of the file format: npm `@modelcontextprotocol/server-memory` 0.6.3, `loadGraph` and `saveGraph`.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from combray.audit.locking import locked
from combray.errors import InvalidInputError, StoreError
from combray.types import Memory, MemoryItem
from combray.values import new_id

_PAGE = 1000
Relation = tuple[str, str, str]
"""From, to, type."""
Mark = tuple[int, int, int]


class GraphEngine(Protocol):
    """What the graph needs of an engine."""

    def list(self, where: Any = None, *, order: str = ..., limit: int = ..., after: str = ...) -> Any:
        """Return a page of memories with the cursor of the next."""

    def remember_many(self, items: Any, *, diff: bool = ..., atomic: bool = ...) -> Any:
        """Store memories in one transaction."""

    def forget(self, memory_id: Any) -> Any:
        """Hide memories in one transaction."""


class Graph:
    """The graph as one read of the store shows it, in the order of writing."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.nodes: dict[str, tuple[str, list[Memory]]] = {}
        self.observations: dict[str, dict[str, list[Memory]]] = {}
        self.relations: dict[Relation, list[Memory]] = {}
        listed = list(memories)
        names = {}
        for each in listed:
            facts = each.metadata
            if facts["graph"] == "entity":
                name = str(facts["name"])
                names[each.id] = name
                self.nodes.setdefault(name, (str(facts["type"]), []))[1].append(each)
            elif facts["graph"] == "relation":
                key = (str(facts["from"]), str(facts["to"]), str(facts["type"]))
                self.relations.setdefault(key, []).append(each)
        for each in listed:
            # An observation belongs to one entity's memory: it does not return with a later entity of that name.
            if each.metadata["graph"] == "observation" and each.metadata["entity"] in names:
                name = names[each.metadata["entity"]]
                text = each.content.removeprefix(f"{name}: ")
                self.observations.setdefault(name, {}).setdefault(text, []).append(each)

    def as_json(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return these entities (default: all), and each relation with one of them at an end."""
        wanted = set(self.nodes if names is None else names)
        return {
            "entities": [self.entity(name) for name in self.nodes if name in wanted],
            "relations": [
                {"from": start, "to": end, "relationType": kind}
                for start, end, kind in self.relations
                if names is None or start in wanted or end in wanted
            ],
        }

    def entity(self, name: str) -> dict[str, Any]:
        """Return one entity with its observations."""
        observations = list(self.observations.get(name, ()))
        return {"name": name, "entityType": self.nodes[name][0], "observations": observations}


class KnowledgeGraph:
    """The graph in the namespace of an engine. Its writes add or hide memories; nothing is destroyed."""

    def __init__(self, store: GraphEngine) -> None:
        self._memories = store

    def read(self) -> Graph:
        """Read the whole graph."""
        found: list[Memory] = []
        after = ""
        while True:
            page = self._memories.list(
                {"metadata.graph": {"exists": True}}, order="recorded_at", limit=_PAGE, after=after
            )
            found += page
            after = page.cursor or ""
            if not after:
                return Graph(found)

    def add(self, entities: Sequence[Mapping[str, Any]], relations: Iterable[Relation] = ()) -> Graph:
        """Add entities with their observations, and relations; what the graph has is kept as it is.

        Observations of an entity that exists are added to it. Returns the graph before.
        """
        graph = self.read()
        known = {name: set(graph.observations.get(name, ())) for name in graph.nodes}
        ids = {name: rows[0].id for name, (_, rows) in graph.nodes.items()}
        items: list[MemoryItem] = []
        for each in entities:
            name = each["name"]
            if name not in ids:
                ids[name], known[name] = new_id(datetime.now(UTC)), set()
                facts = {"graph": "entity", "name": name, "type": each["entityType"]}
                items.append(_item(f"{name} ({each['entityType']})", [name], facts) | {"id": ids[name]})
            new = [text for text in dict.fromkeys(each["observations"]) if text not in known[name]]
            known[name].update(new)
            items += [observation(name, ids[name], text) for text in new]
        items += [
            _item(f"{a} {kind} {b}", [a, b], {"graph": "relation", "from": a, "to": b, "type": kind})
            for a, b, kind in dict.fromkeys(relations)
            if (a, b, kind) not in graph.relations
        ]
        self.store(items)
        return graph

    def store(self, items: Iterable[MemoryItem]) -> None:
        """Store memories of the graph."""
        if listed := list(items):
            # Texts are compared by the graph's own rules, exactly: similar observations are all kept.
            self._memories.remember_many(listed, diff=False, atomic=True)

    def hide(self, memories: Iterable[Memory]) -> None:
        """Hide memories of the graph; a person can restore them."""
        if ids := list(dict.fromkeys(each.id for each in memories)):
            self._memories.forget(ids)


def _item(content: str, entities: list[str], facts: dict[str, str]) -> MemoryItem:
    return {"content": content, "entities": entities, "metadata": facts, "source": "agent", "trust": "agent"}


def observation(name: str, entity: str, text: str) -> MemoryItem:
    """Return the memory of one observation. `entity` is the id of the entity's memory."""
    return _item(f"{name}: {text}", [name], {"graph": "observation", "entity": entity})


# -- the file ------------------------------------------------------------------------------------


def dumped(graph: Graph) -> str:
    """Return the graph as the reference server writes it: JSON lines, entities first, no newline at the end."""
    shown = graph.as_json()
    lines = [{"type": "entity", **each} for each in shown["entities"]]
    lines += [{"type": "relation", **each} for each in shown["relations"]]
    return "\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in lines)


def parsed(text: str, source: str) -> tuple[list[dict[str, Any]], list[Relation]]:
    """Read the JSON lines of the reference server. Lines of other types are ignored, as it ignores them.

    Raises InvalidInputError with the number of the first line that is not valid.
    """
    entities: list[dict[str, Any]] = []
    relations: list[Relation] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            kind = item.get("type")
            if kind == "entity":
                texts = {name: _text(item[name]) for name in ("name", "entityType")}
                entities.append({**texts, "observations": [*map(_text, item.get("observations") or ())]})
            elif kind == "relation":
                relations.append((_text(item["from"]), _text(item["to"]), _text(item["relationType"])))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"line {number} is no entity or relation of the reference memory server ({error!r})."
            raise InvalidInputError(source, problem, "Correct or remove that line.") from error
    return entities, relations


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


class MemoryFile:
    """The file and the graph. Additions to the file by another program reach the store, and the store the file.

    A lock beside the file (`PATH.lock`) covers each change of the store and the file, so that servers on one file
    and store lose nothing. The first change copies the file as it was to `PATH.before-combray`, because the guard
    may redact or quarantine texts of it. What another program removes from the file stays in the store.
    """

    def __init__(self, path: Path, graph: KnowledgeGraph) -> None:
        self.path = path.absolute()
        self._graph = graph
        self._seen: Mark | None = None
        self._here = threading.Lock()

    def take_over(self) -> None:
        """Store what the file has and the store does not, if the file changed since the last look.

        Raises InvalidInputError for a file of another format, and StoreError if it cannot be read.
        """
        if self._mark() != self._seen:
            with self._alone():
                self._take_over()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change the graph within this: the file is taken over before and written after."""
        with self._alone():
            self._take_over()
            try:
                yield
            finally:
                self._write()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._here:
            try:
                descriptor = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                raise StoreError(
                    f"{self.path}: {error.strerror}. Name a file in a folder that exists."
                ) from error
            try:
                with locked(descriptor):
                    yield
            finally:
                os.close(descriptor)

    def _take_over(self) -> None:
        mark = self._mark()
        if mark is None or mark == self._seen:
            return
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path} cannot be read: {error}. Check the file.") from error
        self._graph.add(*parsed(text, str(self.path)))
        self._seen = mark

    def _write(self) -> None:
        text = dumped(self._graph.read())
        if self.path.exists():
            if self.path.read_text(encoding="utf-8") == text:
                return
            copy = self.path.with_name(f"{self.path.name}.before-combray")
            if not copy.exists():
                shutil.copy2(self.path, copy)
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if self.path.exists():
                part.chmod(self.path.stat().st_mode & 0o777)
            part.replace(self.path)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}. The store has the change."
            ) from error
        finally:
            part.unlink(missing_ok=True)
        self._seen = self._mark()

    def _mark(self) -> Mark | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
