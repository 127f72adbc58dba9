"""The MCP tools for the links between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.parameters import Full, Id, Limit
from combray.interfaces.mcp.results import Tools, result
from combray.types import EdgeType

if TYPE_CHECKING:
    from combray.engine.graph import Related


class GraphCalls(Tools):
    """Make links, and follow them."""

    def link(
        self,
        source: Id,
        target: Id,
        type: Annotated[
            EdgeType, Field(description="Kind of link; a causal link goes from the cause to the effect.")
        ] = "semantic",
        weight: Annotated[float, Field(ge=0, le=1, description="Strength, 0 to 1.")] = 0.5,
        reason: Annotated[str, Field(description="Why they are related.")] = "",
        sub_type: Annotated[
            Literal["causes", "enables", "prevents"] | None, Field(description="Of a causal link.")
        ] = None,
    ) -> CallToolResult:
        """Link two memories. Use it for cause and effect, or for related memories; recall follows links."""
        edge = self._engine.link(source, target, type=type, weight=weight, subtype=sub_type or "", reason=reason)
        names = self._short([edge.source, edge.target])
        structured = {"source": edge.source, "target": edge.target, "type": edge.type, "weight": edge.weight}
        structured |= {"sub_type": edge.subtype} if edge.subtype else {}
        kind = f"{edge.type}: {edge.subtype}" if edge.subtype else edge.type
        said = f"linked [{names[edge.source]}] → [{names[edge.target]}] ({kind}, weight {edge.weight:g})"
        return result([said], structured)

    def related(
        self,
        id: Id,
        type: Annotated[EdgeType | None, Field(description="Follow only links of this type.")] = None,
        depth: Annotated[int, Field(ge=1, le=10, description="Maximum number of steps.")] = 2,
        limit: Limit = 10,
        full: Full = False,
    ) -> CallToolResult:
        """Show linked memories, nearest first. Use it to find the causes, effects and context of a memory."""
        every = self._engine.related(id, type=type, depth=depth)
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
