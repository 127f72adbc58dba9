"""JSON schemas of the structured results of the tools. A client validates every result against them."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_TRUTH: Schema = {"type": "boolean"}
_TIER = _object({"tier": _TEXT, "why": _TEXT})
_MEMORY = _object(
    {
        "id": _TEXT, "when": _TEXT, "kind": _TEXT, "category": _TEXT,
        "content": _TEXT, "status": _TEXT, "trust": _TEXT,
    },
    {"tags": _list(_TEXT)},
)  # fmt: skip
_LISTED = _list(_MEMORY)
_ANSWER = _object(
    {"results": _LISTED, "reason": _TEXT, "tier": _TIER},
    {"notice": _TEXT, "dropped": _COUNT, "confidence": _NUMBER},
)
_SAVED = _list(_object({"id": _TEXT, "action": _TEXT, "content": _TEXT}))
_ENTITY = _object({"name": _TEXT, "entityType": _TEXT, "observations": _list(_TEXT)})
_RELATION = _object({"from": _TEXT, "to": _TEXT, "relationType": _TEXT})
_GRAPH = _object({"entities": _list(_ENTITY), "relations": _list(_RELATION)})
_DELETED = _object({"success": _TRUTH, "message": _TEXT})

OUTPUTS: dict[str, Schema] = {
    "remember": _object(
        {
            "id": _TEXT, "action": _TEXT, "replaced_id": _MAYBE,
            "may_revise": _list({"type": "object"}), "tier": _TIER,
        },
        {
            "settled": _list({"type": "object"}), "warnings": _list(_TEXT),
            "perhaps_related": _list(_TEXT), "embedded": _TRUTH,
        },
    ),
    "recall": _ANSWER,
    "search_memory": _ANSWER,
    "think": _object(
        {
            "answer": _TEXT, "known": _TRUTH, "mode": _TEXT, "reason": _MAYBE, "confidence": _NUMBER,
            "citations": _list(_object({"number": _COUNT, "id": _TEXT})), "tier": _TIER,
        }
    ),
    "memory_search": _object({"results": _list({"type": "object"}), "tier": _TIER}),
    "memory_get": _object({"path": _TEXT, "text": _TEXT}),
    "link": _object({"source": _TEXT, "target": _TEXT, "type": _TEXT, "weight": _NUMBER}, {"sub_type": _TEXT}),
    "related": _object({"results": _LISTED}, {"notice": _TEXT}),
    "list_memories": _object(
        {"results": _list({"type": "object"})}, {"total": _COUNT, "cursor": _MAYBE, "notice": _TEXT}
    ),
    "settle_memories": _object({"new": _TEXT, "old": _TEXT, "verdict": _TEXT, "undone": _MAYBE}),
    "update_memory": _MEMORY,
    "forget": _object(
        {}, {"id": _TEXT, "status": _TEXT, "ids": _list(_TEXT), "count": _COUNT, "dry_run": _TRUTH}
    ),
    "status": _object({"tier": _TIER, "namespace": _TEXT, "total_insights": _COUNT, "edge_count": _COUNT}),
    "add_turn": _object({"id": _TEXT, "trust": _TEXT, "saved": _SAVED}),
    "handle_turn": _object(
        {
            "id": _TEXT, "saved": _SAVED, "text": _TEXT, "tokens": _COUNT, "budget": _COUNT, "state": _TEXT,
            "sections": _list(_object({"name": _TEXT, "text": _TEXT, "ids": _list(_TEXT), "tokens": _COUNT})),
        },
        {"notice": _TEXT},
    ),
    "create_entities": _object({"entities": _list(_ENTITY)}),
    "create_relations": _object({"relations": _list(_RELATION)}),
    "add_observations": _object(
        {"results": _list(_object({"entityName": _TEXT, "addedObservations": _list(_TEXT)}))}
    ),
    "delete_entities": _DELETED,
    "delete_observations": _DELETED,
    "delete_relations": _DELETED,
    "read_graph": _GRAPH,
    "search_nodes": _GRAPH,
    "open_nodes": _GRAPH,
}  # fmt: skip
"""Tool -> schema of its structured result. Only fields that every caller may rely on are named."""
