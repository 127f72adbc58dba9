"""Which tools a server offers: profiles, titles and annotations."""

from __future__ import annotations

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
