"""The prompts of the server: what a person picks in a client's menu."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.prompts import Prompt
from pydantic import Field


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
