"""Zep and Graphiti: nodes, fact edges and episodes as JSON.

Sources: graphiti-core 0.31.2, `EntityNode`, `EpisodicNode` and `EntityEdge` in lists, or in `SearchResults`,
`AddEpisodeResults` and `AddBulkEpisodeResults`, as `model_dump_json` writes them; zep-cloud 4.0.1, `Node`, `Edge`
and `Episode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from combray.sessions.messages import SPEAKERS
from combray.transfer.formats.drafts import Drafts, loaded_object, objects

_KNOWN = {"nodes", "edges", "episodes", "episode", "entity_nodes", "entity_edges", "episodic_nodes"}
_OF_A_NODE = ("labels", "attributes", "group_id", "graph_uuid", "user_uuid")
_OF_AN_EPISODE = (
    "name", "source", "source_description", "group_id", "episode_metadata", "metadata", "graph_uuid", "user_uuid",
    "thread_uuid", "document_id", "role",
)  # fmt: skip
_OF_A_FACT = (
    "name", "attributes", "group_id", "expired_at", "reference_time", "graph_uuid", "user_uuid", "hyperedge_uuid",
    "scope",
)  # fmt: skip


def is_graph(value: Any) -> bool:
    """Return whether a JSON value has fact edges of Graphiti."""
    edges = _listed(value, "edges", "entity_edges") if isinstance(value, Mapping) else None
    return isinstance(edges, list) and any(isinstance(each, Mapping) and "fact" in each for each in edges)


def read(path: Path) -> Drafts:
    """Read facts with the times they hold, episodes, and the summaries of nodes."""
    value = loaded_object(path)
    drafts = Drafts("graphiti")
    names: dict[str, str] = {}
    for place, node in objects(drafts, _listed(value, "nodes", "entity_nodes"), "node"):
        key, name = str(node.get("uuid") or place), str(node.get("name") or "")
        names[key] = name
        drafts.left("vectors of another model", int(bool(node.get("name_embedding"))))
        if not node.get("summary"):
            drafts.left("nodes without a summary")
            continue
        text = f"{name}: {node['summary']}" if name else node["summary"]
        about = _some(node, *_OF_A_NODE)
        made = {"metadata": about, "recorded_at": node.get("created_at")}
        drafts.add(key, text, place, entities=[name] if name else None, **made)
    episodes = set()
    single = [value["episode"]] if "episode" in value else None
    for place, each in objects(drafts, _listed(value, "episodes", "episodic_nodes") or single, "episode"):
        key = str(each.get("uuid") or place)
        if isinstance(each.get("content"), str) and each["content"].strip():
            episodes.add(key)
        role = str(each.get("role") or "")
        drafts.add(
            key,
            each.get("content"),
            place,
            kind="episode",
            metadata=_some(each, *_OF_AN_EPISODE),
            author=each.get("role_name") or role or None,
            trust=SPEAKERS.get(role),
            occurred_at=each.get("valid_at") or each.get("reference_time"),
            recorded_at=each.get("created_at"),
        )
    for place, edge in objects(drafts, _listed(value, "edges", "entity_edges"), "edge"):
        _fact(drafts, place, edge, names, episodes)
    for name in value.keys() - _KNOWN:
        if value[name] not in (None, [], {}, ""):
            drafts.left(f"the field {name!r}")
    return drafts


def _fact(
    drafts: Drafts, place: str, edge: Mapping[str, Any], names: Mapping[str, str], episodes: set[str]
) -> None:
    ends = [
        names.get(str(edge.get(f"{end}_node_uuid"))) or str(edge.get(f"{end}_node_name") or "")
        for end in ("source", "target")
    ]
    listed = _listed(edge, "episodes", "episode_uuids")
    given = listed if isinstance(listed, list) else []
    known = [str(each) for each in given if str(each) in episodes]
    drafts.add(
        str(edge.get("uuid") or place),
        edge.get("fact"),
        place,
        entities=[each for each in ends if each],
        valid_from=edge.get("valid_at"),
        valid_to=edge.get("invalid_at"),
        metadata=_some(edge, *_OF_A_FACT),
        recorded_at=edge.get("created_at"),
        evidence=[drafts.id_of(each) for each in known],
    )
    drafts.left("episodes that the file does not have", len(given) - len(known))
    drafts.left("vectors of another model", int(bool(edge.get("fact_embedding"))))


def _listed(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if name in value), None)


def _some(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name)}
