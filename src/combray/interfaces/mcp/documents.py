"""The MCP tools for the notes of the workspace."""

from __future__ import annotations

from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.parameters import Query
from combray.interfaces.mcp.results import Tools, result


class DocumentCalls(Tools):
    """Search and read the Markdown notes of the engine's workspaces."""

    def memory_search(
        self,
        query: Query,
        max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50, description="Maximum hits.")] = 6,
        min_score: Annotated[
            float | None, Field(alias="minScore", ge=0, le=1, description="Drop hits below this score.")
        ] = None,
    ) -> CallToolResult:
        """Search the Markdown notes of the workspace (MEMORY.md, memory/*.md). Use it first for prior work.

        It returns the path and lines of each hit; read more with memory_get. If nothing is found, say that you
        checked.
        """
        found = self._engine.documents.search(query, max_results=max_results, min_score=min_score)
        tier, notes = self._tier(found.details)
        shown = {**found.as_json(), "tier": tier}
        caution = [f"note: {lines.one_line(found.warning)}"] if found.warning else []
        caution += notes
        if not found:
            why = found.reason or "no note matches"
            return result([f"Nothing found: {why}. Say that you checked.", *caution], shown)
        said = [
            f"{lines.one_line(each.citation)} {each.score:.2f} {lines.one_line(each.snippet, lines.WIDTH)}"
            for each in found
        ]
        return result([lines.NOTICE, *said, *caution], {"notice": lines.NOTICE, **shown})

    def memory_get(
        self,
        path: Annotated[str, Field(description="Path of a note from a result of memory_search.")],
        start: Annotated[int | None, Field(alias="from", ge=1, description="First line; default: 1.")] = None,
        lines_: Annotated[
            int | None, Field(alias="lines", ge=1, description="Number of lines; default: to the end.")
        ] = None,
    ) -> CallToolResult:
        """Read a note of the workspace, or some lines of it. Use it to read around a hit of memory_search."""
        found = self._engine.documents.read(path, start=start, lines=lines_, withhold=True)
        name = lines.one_line(found.path)
        if not found.text:
            return result([f"{name} does not exist or does not have these lines."], found.as_json())
        place = f"{name}, lines {found.start_line} to {found.end_line} of {found.total_lines}"
        on = f"; continue from {found.next_line}" if found.next_line else ""
        return result(
            [lines.NOTICE, f"{place}{on}", lines.quoted(found.text)], {"notice": lines.NOTICE, **found.as_json()}
        )
