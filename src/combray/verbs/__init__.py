"""Every verb, declared once. The library has it; shell, MCP and other services are made from the declaration."""

from combray.verbs import documents, graph, memories, programs, questions, store, upkeep
from combray.verbs.declaration import Verb

_ROOMS = (memories, questions, documents, graph, store, upkeep, programs)

VERBS: dict[str, Verb] = {each.name: each for room in _ROOMS for each in room.VERBS}
"""Name -> verb."""
CALLS: dict[str, Verb] = {name: each for name, each in VERBS.items() if each.call}
"""The verbs that the engine has, by name."""
TOOLS: dict[str, Verb] = {each.tool: each for each in VERBS.values() if each.tool}
"""Tool of MCP -> verb."""
