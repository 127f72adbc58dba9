"""Which tools a server offers: profiles, titles, annotations, and the schemas of structured results."""

from __future__ import annotations

from typing import Any

from mcp_types import ToolAnnotations

_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_CREATES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_HIDES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

OFFERED: dict[str, tuple[str, ToolAnnotations]] = {
    "remember": ("Remember", _ADDS),
    "recall": ("Recall", _READS),
    "search_memory": ("Search facts or episodes", _READS),
    "think": ("Answer from memory", _READS),
    "memory_search": ("Search notes", _READS),
    "memory_get": ("Read a note", _READS),
    "link": ("Link memories", _ADDS),
    "related": ("Related memories", _READS),
    "list_memories": ("List memories", _READS),
    "settle_memories": ("Settle a contradiction", _ADDS),
    "update_memory": ("Correct a memory", _ADDS),
    "forget": ("Forget", _HIDES),
    "status": ("Memory status", _READS),
    "add_turn": ("Store a turn", _CREATES),
    "handle_turn": ("Store a turn and stream memories", _CREATES),
    "create_entities": ("Create Entities", _CREATES),
    "create_relations": ("Create Relations", _CREATES),
    "add_observations": ("Add Observations", _CREATES),
    "delete_entities": ("Delete Entities", _HIDES),
    "delete_observations": ("Delete Observations", _HIDES),
    "delete_relations": ("Delete Relations", _HIDES),
    "read_graph": ("Read Graph", _READS),
    "search_nodes": ("Search Nodes", _READS),
    "open_nodes": ("Open Nodes", _READS),
}
"""Tool -> its title and annotations; each tool is the method of its calls with that name."""

_OFFICIAL = tuple(OFFERED)[-9:]
PROFILES: dict[str, tuple[str, ...]] = {
    "lean": ("remember", "recall", "settle_memories", "update_memory", "forget"),
    "full": tuple(OFFERED)[:-9],
    "openclaw": ("memory_search", "memory_get"),
    "engram": ("remember", "recall", "think", "settle_memories", "add_turn", "list_memories", "forget", "status"),
    "semantic-facts": (
        "search_memory",
        "handle_turn",
        "remember",
        "settle_memories",
        "update_memory",
        "forget",
        "status",
    ),
    "mnemo": ("remember", "recall", "settle_memories", "list_memories", "update_memory", "forget", "status"),
    "mnemon": ("remember", "recall", "settle_memories", "link", "related", "forget", "status"),
    "official": _OFFICIAL,
}
"""Profile -> its tools, in the order in which they are listed."""

ONLY_IN: dict[tuple[str, str], tuple[str, ...]] = {("remember", "tier"): ("full", "mnemo")}
"""(Tool, argument) -> the profiles whose tool has that argument; all other arguments are in every profile."""


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
