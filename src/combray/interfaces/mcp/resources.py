"""The resources of the server: one memory, recent memories, and the profile of the user."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from combray.errors import CombrayError
from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools

RECENT = "memory://recent"
PROFILE = "memory://profile"
_RECENT = 20
_PROFILE = 50


class Resources(Tools):
    """What the resources show. Each text begins with the notice that it is stored data."""

    def recent(self) -> str:
        """Return the latest memories, one short line each."""
        return self._listed(None, "-recorded_at", _RECENT)

    def profile(self) -> str:
        """Return preferences, the most important first."""
        return self._listed({"category": "preference"}, "-importance", _PROFILE)

    def memory(self, id: str) -> str:
        """Return one memory in full; a unique prefix of its id is enough."""
        try:
            memory = self._engine.get(id)
        except CombrayError as error:
            # Anything else is a failure of the server to the SDK.
            raise ResourceNotFoundError(str(error)) from error
        return f"{lines.NOTICE}\n{lines.whole(memory)}"

    def _listed(self, where: dict[str, Any] | None, order: str, limit: int) -> str:
        page = self._engine.list(where, order=order, limit=limit, namespaces=self._namespaces)
        names = self._short(each.id for each in page)
        return "\n".join([lines.NOTICE, *(lines.short(each, names[each.id]) for each in page)])


def add_resources(server: MCPServer[Any], shown: Resources) -> None:
    """Register the resources of a profile."""
    plain = "text/plain"
    server.resource(
        RECENT, name="recent", title="Recent memories", description="The 20 latest memories.", mime_type=plain
    )(shown.recent)
    server.resource(
        PROFILE,
        name="profile",
        title="Profile",
        description="Preferences, the most important first.",
        mime_type=plain,
    )(shown.profile)
    server.resource(
        "memory://memory/{id}",
        name="memory",
        title="Memory by id",
        description="One memory in full. The id may be a unique prefix.",
        mime_type=plain,
    )(shown.memory)
