"""The MCP tools for the links between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools, result
from combray.types import EdgeType

if TYPE_CHECKING:
    from combray.engine.graph import Related


class GraphCalls(Tools):
    """Make links, and follow them."""

    def link(self, source: str, target: str, subtype: str | None = None, **how: Any) -> CallToolResult:
        """Link two memories. Use it for cause and effect, or for related memories; recall follows links."""
        edge = self._engine.link(source, target, subtype=subtype or "", **how)
        names = self._short([edge.source, edge.target])
        structured = {"source": edge.source, "target": edge.target, "type": edge.type, "weight": edge.weight}
        structured |= {"sub_type": edge.subtype} if edge.subtype else {}
        kind = f"{edge.type}: {edge.subtype}" if edge.subtype else edge.type
        said = f"linked [{names[edge.source]}] → [{names[edge.target]}] ({kind}, weight {edge.weight:g})"
        return result([said], structured)

    def related(
        self, memory_id: str, type: EdgeType | None = None, depth: int = 2, limit: int = 10, full: bool = False
    ) -> CallToolResult:
        """Show linked memories, nearest first. Use it to find the causes, effects and context of a memory."""
        every = self._engine.related(memory_id, type=type, depth=depth)
        found = every[:limit]
        if not found:
            by = f" by {type} links" if type else ""
            return result([f"No memory is linked to it{by}."], {"results": []})
        names = self._short(each.memory.id for each in found)
        said = [
            f"{each.depth} {'step' if each.depth == 1 else 'steps'}, {_by(each)}: "
            + (lines.whole(each.memory) if full else lines.short(each.memory, names[each.memory.id]))
            for each in found
        ]
        said += [f"{len(every) - limit} more; use a higher limit."] if len(every) > limit else []
        structured = [
            lines.as_json(each.memory, names[each.memory.id], full=full)
            | {"depth": each.depth, "type": each.via, "weight": round(each.weight, 3)}
            | {"edges": [_edge(*edge, sub) for edge, sub in zip(each.edges, each.subtypes, strict=True)]}
            for each in found
        ]
        return result([lines.NOTICE, *said], {"notice": lines.NOTICE, "results": structured})


def _edge(kind: str, weight: float, subtype: str) -> dict[str, Any]:
    return {"type": kind, "weight": round(weight, 3)} | ({"sub_type": subtype} if subtype else {})


def _by(neighbour: Related) -> str:
    """Return the edges that reach a memory, strongest first: `causal 0.70 (causes), temporal 0.50`.

    Edges from several memories of the step before read alike, and are named once.
    """
    said = [
        f"{kind} {weight:.2f}{f' ({lines.one_line(sub)})' if sub else ''}"
        for (kind, weight), sub in zip(neighbour.edges, neighbour.subtypes, strict=True)
    ]
    return ", ".join(dict.fromkeys(said))
