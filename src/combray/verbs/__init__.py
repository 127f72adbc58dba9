"""Every verb, declared once. The library has it; shell, MCP and other services are made from the declaration."""

from combray.verbs import documents, graph, memories, questions, store, upkeep
from combray.verbs.declaration import Verb

_ROOMS = (memories, questions, documents, graph, store, upkeep)

VERBS: dict[str, Verb] = {each.name: each for room in _ROOMS for each in room.VERBS}
"""Name -> verb."""
TOOLS: dict[str, Verb] = {each.tool: each for each in VERBS.values() if each.tool}
"""Tool of MCP -> verb."""
