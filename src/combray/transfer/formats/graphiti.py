"""Zep and Graphiti: nodes, fact edges and episodes as JSON.

Source: graphiti-core 0.24, `nodes.py` and `edges.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.transfer.formats.drafts import Drafts, objects

_KNOWN = {"nodes", "edges", "episodes", "entity_nodes", "entity_edges", "episodic_nodes"}


def is_graph(value: Any) -> bool:
    """Return whether a JSON value has fact edges of Graphiti."""
    edges = _listed(value, "edges", "entity_edges") if isinstance(value, Mapping) else None
    return isinstance(edges, list) and any(isinstance(each, Mapping) and "fact" in each for each in edges)


def read(value: Mapping[str, Any]) -> Drafts:
    """Read facts with the times they hold, episodes, and the summaries of nodes."""
    drafts = Drafts("graphiti")
    names: dict[str, str] = {}
    for place, node in objects(drafts, _listed(value, "nodes", "entity_nodes"), "node"):
        key, name = str(node.get("uuid") or place), str(node.get("name") or "")
        names[key] = name
        if not node.get("summary"):
            drafts.left("nodes without a summary")
            continue
        text = f"{name}: {node['summary']}" if name else node["summary"]
        about = _some(node, "labels", "attributes", "group_id")
        made = {"metadata": about, "recorded_at": node.get("created_at")}
        drafts.add(key, text, place, entities=[name] if name else None, **made)
    episodes = set()
    for place, each in objects(drafts, _listed(value, "episodes", "episodic_nodes"), "episode"):
        key = str(each.get("uuid") or place)
        episodes.add(key)
        times = {"occurred_at": each.get("valid_at"), "recorded_at": each.get("created_at")}
        about = _some(each, "name", "group_id", "source_description")
        drafts.add(key, each.get("content"), place, kind="episode", metadata=about, **times)
    for place, edge in objects(drafts, _listed(value, "edges", "entity_edges"), "edge"):
        _fact(drafts, place, edge, names, episodes)
    for name in value.keys() - _KNOWN:
        drafts.left(f"the field {name!r}")
    return drafts


def _fact(
    drafts: Drafts, place: str, edge: Mapping[str, Any], names: Mapping[str, str], episodes: set[str]
) -> None:
    ends = [names.get(str(edge.get(end)), "") for end in ("source_node_uuid", "target_node_uuid")]
    given = edge.get("episodes") if isinstance(edge.get("episodes"), list) else []
    known = [str(each) for each in given or () if str(each) in episodes]
    drafts.add(
        str(edge.get("uuid") or place),
        edge.get("fact"),
        place,
        entities=[each for each in ends if each],
        valid_from=edge.get("valid_at"),
        valid_to=edge.get("invalid_at"),
        metadata=_some(edge, "name", "group_id", "expired_at"),
        recorded_at=edge.get("created_at"),
        evidence=[drafts.id_of(each) for each in known],
    )
    drafts.left("episodes that the file does not have", len(given or ()) - len(known))
    drafts.left("vectors of another model", int(bool(edge.get("fact_embedding"))))


def _listed(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if name in value), None)


def _some(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name)}
