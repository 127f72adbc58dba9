"""The nine tools of the reference memory server, npm `@modelcontextprotocol/server-memory`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field
from typing_extensions import TypedDict

from combray.interfaces.mcp.results import Tools, result
from combray.transfer.knowledge_graph import Graph, KnowledgeGraph, MemoryFile, observation

KNOWLEDGE_GRAPH = "memory://knowledge-graph"

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


class OfficialCalls(Tools):
    """The knowledge graph of the reference memory server."""

    _writing = threading.Lock()
    file: MemoryFile | None = None
    """The JSONL file that is kept equal to the graph."""

    def keep(self, path: Path) -> None:
        """Keep a JSONL file of the reference server equal to the graph; it is read at once."""
        self.file = MemoryFile(path, self._graph)
        self.file.take_over()

    @cached_property
    def _graph(self) -> KnowledgeGraph:
        return KnowledgeGraph(self._engine)

    def create_entities(self, entities: list[Entity]) -> CallToolResult:
        """Create multiple new entities in the knowledge graph"""
        with self._changing() as graph:
            made = {each["name"]: each for each in reversed(entities) if each["name"] not in graph.nodes}
            new = [each for each in entities if made.get(each["name"]) is each]
            self._graph.add(new)
        return _json(new, {"entities": new})

    def create_relations(self, relations: list[Relation]) -> CallToolResult:
        """Create multiple new relations between entities in the knowledge graph. Relations should be in active voice"""  # noqa: E501
        with self._changing() as graph:
            keys = [_key(each) for each in relations]
            new = list(dict.fromkeys(each for each in keys if each not in graph.relations))
            self._graph.add((), new)
        shown = [{"from": a, "to": b, "relationType": kind} for a, b, kind in new]
        return _json(shown, {"relations": shown})

    def add_observations(self, observations: list[Addition]) -> CallToolResult:
        """Add new observations to existing entities in the knowledge graph"""
        with self._changing() as graph:
            items, shown = [], []
            for each in observations:
                name = each["entityName"]
                if name not in graph.nodes:
                    raise ToolError(f"Entity with name {name} not found")
                known = graph.observations.setdefault(name, {})
                new = list(dict.fromkeys(text for text in each["contents"] if text not in known))
                known |= {text: [] for text in new}
                items += [observation(name, graph.nodes[name][1][0].id, text) for text in new]
                shown.append({"entityName": name, "addedObservations": new})
            self._graph.store(items)
        return _json(shown, {"results": shown})

    def delete_entities(
        self,
        entityNames: Annotated[  # noqa: N803 - the reference server's name
            list[str], Field(description="An array of entity names to delete")
        ],
    ) -> CallToolResult:
        """Delete multiple entities and their associated relations from the knowledge graph"""
        names = set(entityNames)
        with self._changing() as graph:
            gone = [each for name in names & graph.nodes.keys() for each in graph.nodes[name][1]]
            gone += [
                each for name in names for found in graph.observations.get(name, {}).values() for each in found
            ]
            gone += [each for key, found in graph.relations.items() if names & {*key[:2]} for each in found]
            self._graph.hide(gone)
        return _deleted("Entities")

    def delete_observations(self, deletions: list[Deletion]) -> CallToolResult:
        """Delete specific observations from entities in the knowledge graph"""
        with self._changing() as graph:
            known = graph.observations
            self._graph.hide(
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
        with self._changing() as graph:
            known = graph.relations
            self._graph.hide(each for key in dict.fromkeys(map(_key, relations)) for each in known.get(key, ()))
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
        """Read the graph of the engine's namespace, with what is new in the memory file."""
        if self.file is not None:
            self.file.take_over()
        return self._graph.read()

    @contextmanager
    def _changing(self) -> Iterator[Graph]:
        with self._writing, self.file.changing() if self.file else nullcontext():
            yield self._graph.read()


def add_graph(server: MCPServer[Any], calls: OfficialCalls) -> None:
    """Register the graph as a resource."""

    @server.resource(
        KNOWLEDGE_GRAPH,
        name="knowledge-graph",
        title="Knowledge Graph",
        description="The full knowledge graph with all entities and relations",
        mime_type="application/json",
    )
    def knowledge_graph() -> str:
        return json.dumps(calls.graph().as_json(), indent=2, ensure_ascii=False)


def _key(relation: Relation) -> tuple[str, str, str]:
    return relation["from"], relation["to"], relation["relationType"]


def _json(shown: Any, structured: dict[str, Any]) -> CallToolResult:
    return result([json.dumps(shown, indent=2, ensure_ascii=False)], structured)


def _deleted(what: str) -> CallToolResult:
    said = f"{what} deleted successfully"
    return result([said], {"success": True, "message": said})
