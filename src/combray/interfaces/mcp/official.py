"""The nine tools of the reference memory server, npm `@modelcontextprotocol/server-memory`.

Each entity, observation and relation is one memory, so that writers in several processes add rows and never
overwrite one another. Names that two processes create at once are merged when they are read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field
from typing_extensions import TypedDict

from combray.interfaces.mcp.results import Tools, result
from combray.types import Memory, MemoryItem
from combray.values import new_id

KNOWLEDGE_GRAPH = "memory://knowledge-graph"
_PAGE = 1000

Text = Annotated[str, Field(min_length=1)]


class Entity(TypedDict):
    """One node."""

    name: Annotated[str, Field(min_length=1, description="The name of the entity")]
    entityType: Annotated[str, Field(description="The type of the entity")]
    observations: Annotated[
        list[Text], Field(description="An array of observation contents associated with the entity")
    ]


Relation = TypedDict(
    "Relation",
    {
        "from": Annotated[
            str, Field(min_length=1, description="The name of the entity where the relation starts")
        ],
        "to": Annotated[str, Field(min_length=1, description="The name of the entity where the relation ends")],
        "relationType": Annotated[str, Field(min_length=1, description="The type of the relation")],
    },
)


class Addition(TypedDict):
    """Observations to add to one entity."""

    entityName: Annotated[str, Field(description="The name of the entity to add the observations to")]
    contents: Annotated[list[Text], Field(description="An array of observation contents to add")]


class Deletion(TypedDict):
    """Observations to delete from one entity."""

    entityName: Annotated[str, Field(description="The name of the entity containing the observations")]
    observations: Annotated[list[str], Field(description="An array of observations to delete")]


class Graph:
    """The graph as one read of the store shows it, in the order of writing."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.nodes: dict[str, tuple[str, list[Memory]]] = {}
        self.observations: dict[str, dict[str, list[Memory]]] = {}
        self.relations: dict[tuple[str, str, str], list[Memory]] = {}
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


class OfficialCalls(Tools):
    """The knowledge graph of the reference memory server."""

    _writing = threading.Lock()

    def create_entities(self, entities: list[Entity]) -> CallToolResult:
        """Create multiple new entities in the knowledge graph"""
        with self._writing:
            graph = self.graph()
            made = {each["name"]: each for each in reversed(entities) if each["name"] not in graph.nodes}
            new = [each for each in entities if made.get(each["name"]) is each]
            items: list[MemoryItem] = []
            for each in new:
                ident, name = new_id(datetime.now(UTC)), each["name"]
                facts = {"graph": "entity", "name": name, "type": each["entityType"]}
                items.append(_item(f"{name} ({each['entityType']})", [name], facts) | {"id": ident})
                items += [_observation(name, ident, text) for text in dict.fromkeys(each["observations"])]
            self._store(items)
        return _json(new, {"entities": new})

    def create_relations(self, relations: list[Relation]) -> CallToolResult:
        """Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"""  # noqa: E501
        with self._writing:
            known = set(self.graph().relations)
            keys = [_key(each) for each in relations]
            new = list(dict.fromkeys(each for each in keys if each not in known))
            self._store(
                _item(f"{a} {kind} {b}", [a, b], {"graph": "relation", "from": a, "to": b, "type": kind})
                for a, b, kind in new
            )
        shown = [{"from": a, "to": b, "relationType": kind} for a, b, kind in new]
        return _json(shown, {"relations": shown})

    def add_observations(self, observations: list[Addition]) -> CallToolResult:
        """Add new observations to existing entities in the knowledge graph"""
        with self._writing:
            graph = self.graph()
            items, shown = [], []
            for each in observations:
                name = each["entityName"]
                if name not in graph.nodes:
                    raise ToolError(f"Entity with name {name} not found")
                known = graph.observations.setdefault(name, {})
                new = list(dict.fromkeys(text for text in each["contents"] if text not in known))
                known |= {text: [] for text in new}
                items += [_observation(name, graph.nodes[name][1][0].id, text) for text in new]
                shown.append({"entityName": name, "addedObservations": new})
            self._store(items)
        return _json(shown, {"results": shown})

    def delete_entities(
        self,
        entity_names: Annotated[
            list[str], Field(alias="entityNames", description="An array of entity names to delete")
        ],
    ) -> CallToolResult:
        """Delete multiple entities and their associated relations from the knowledge graph"""
        names = set(entity_names)
        with self._writing:
            graph = self.graph()
            gone = [each for name in names & graph.nodes.keys() for each in graph.nodes[name][1]]
            gone += [
                each for name in names for found in graph.observations.get(name, {}).values() for each in found
            ]
            gone += [each for key, found in graph.relations.items() if names & {*key[:2]} for each in found]
            self._drop(gone)
        return _deleted("Entities")

    def delete_observations(self, deletions: list[Deletion]) -> CallToolResult:
        """Delete specific observations from entities in the knowledge graph"""
        with self._writing:
            known = self.graph().observations
            self._drop(
                each
                for deletion in deletions
                for text in dict.fromkeys(deletion["observations"])
                for each in known.get(deletion["entityName"], {}).get(text, ())
            )
        return _deleted("Observations")

    def delete_relations(
        self, relations: Annotated[list[Relation], Field(description="An array of relations to delete")]
    ) -> CallToolResult:
        """Delete multiple relations from the knowledge graph"""
        with self._writing:
            known = self.graph().relations
            self._drop(each for key in dict.fromkeys(map(_key, relations)) for each in known.get(key, ()))
        return _deleted("Relations")

    def read_graph(self) -> CallToolResult:
        """Read the entire knowledge graph"""
        found = self.graph().as_json()
        return _json(found, found)

    def search_nodes(
        self,
        query: Annotated[
            str,
            Field(description="The search query to match against entity names, types, and observation content"),
        ],
    ) -> CallToolResult:
        """Search for nodes in the knowledge graph based on a query"""
        graph, wanted = self.graph(), query.lower()
        texts = {name: [name, kind, *graph.observations.get(name, ())] for name, (kind, _) in graph.nodes.items()}
        names = [name for name, said in texts.items() if any(wanted in each.lower() for each in said)]
        found = graph.as_json(names)
        return _json(found, found)

    def open_nodes(
        self, names: Annotated[list[str], Field(description="An array of entity names to retrieve")]
    ) -> CallToolResult:
        """Open specific nodes in the knowledge graph by their names"""
        graph = self.graph()
        found = graph.as_json([each for each in names if each in graph.nodes])
        return _json(found, found)

    # -- storage -----------------------------------------------------------------------------------

    def graph(self) -> Graph:
        """Read the graph of the engine's namespace."""
        found: list[Memory] = []
        after = ""
        while True:
            page = self._engine.list(
                {"metadata.graph": {"exists": True}}, order="recorded_at", limit=_PAGE, after=after
            )
            found += page
            after = page.cursor or ""
            if not after:
                return Graph(found)

    def _store(self, items: Iterable[MemoryItem]) -> None:
        if listed := list(items):
            # Texts are compared by the graph's own rules, exactly: similar observations are all kept.
            self._engine.remember_many(listed, diff=False)

    def _drop(self, memories: Iterable[Memory]) -> None:
        if ids := list(dict.fromkeys(each.id for each in memories)):
            self._engine.forget(ids)


def _item(content: str, entities: list[str], facts: dict[str, str]) -> MemoryItem:
    return {"content": content, "entities": entities, "metadata": facts, "source": "agent", "trust": "agent"}


def _observation(name: str, entity: str, text: str) -> MemoryItem:
    return _item(f"{name}: {text}", [name], {"graph": "observation", "entity": entity})


def _key(relation: Relation) -> tuple[str, str, str]:
    return relation["from"], relation["to"], relation["relationType"]


def _json(shown: Any, structured: dict[str, Any]) -> CallToolResult:
    return result([json.dumps(shown, indent=2, ensure_ascii=False)], structured)


def _deleted(what: str) -> CallToolResult:
    said = f"{what} deleted successfully"
    return result([said], {"success": True, "message": said})
