"""The MCP tools for the notes of the workspace."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools, result


class DocumentCalls(Tools):
    """Search and read the Markdown notes of the engine's workspaces."""

    def memory_search(self, query: str, max_results: int = 6, min_score: float | None = None) -> CallToolResult:
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

    def memory_get(self, path: str, **which: Any) -> CallToolResult:
        """Read a note of the workspace, or some lines of it. Use it to read around a hit of memory_search."""
        found = self._engine.documents.read(path, withhold=True, **which)
        name = lines.one_line(found.path)
        if not found.text:
            return result([f"{name} does not exist or does not have these lines."], found.as_json())
        place = f"{name}, lines {found.start_line} to {found.end_line} of {found.total_lines}"
        on = f"; continue from {found.next_line}" if found.next_line else ""
        return result(
            [lines.NOTICE, f"{place}{on}", lines.quoted(found.text)], {"notice": lines.NOTICE, **found.as_json()}
        )
