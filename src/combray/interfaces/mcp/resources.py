"""What the server offers beside tools: memories as resources, and prompts that a person picks in a menu."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from pydantic import Field

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
        return f"{lines.NOTICE}\n{lines.whole(memory, bounded=False)}"

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


def recall(topic: Annotated[str, Field(description="A question, person, project or keyword.")]) -> str:
    """Search memory for a topic and report what is known, with dates."""
    return (
        f"Search long-term memory for: {topic}\n\nUse the tool recall. Report what is known, each "
        "statement with its date and id. Say which statements are outdated or contradict one another. "
        "If nothing is found, say so."
    )


def review() -> str:
    """Review recent memories and open contradictions with the user."""
    return (
        "Review long-term memory with me. Read the resource memory://recent. List statements that look wrong, "
        "outdated, duplicated or contradictory, each with its id. Ask me about each before you change it with "
        "update_memory, settle_memories or forget."
    )


def remember_session() -> str:
    """Store what matters from this conversation."""
    return (
        "Go through our conversation. Store each decision, preference, fact and open question that will "
        "matter in a later conversation with the tool remember, one statement per call, clear without this "
        "conversation. Recall first and store nothing that is known already. Do not store secrets or small talk. "
        "Then list what you stored."
    )


PROMPTS = [
    Prompt.from_function(recall, title="Recall a topic", description=recall.__doc__),
    Prompt.from_function(review, title="Review memory", description=review.__doc__),
    Prompt.from_function(
        remember_session,
        name="remember-session",
        title="Remember this session",
        description=remember_session.__doc__,
    ),
]
"""The prompts in the order in which they are listed."""
