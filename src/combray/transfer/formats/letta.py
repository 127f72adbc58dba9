"""Letta's agent files (`.af`). Source: https://docs.letta.com, "Agent File (.af)"; letta `AgentFileSchema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combray.sessions.messages import PROMPTS, SPEAKERS, text_of
from combray.transfer.formats.drafts import Drafts, objects

_READ = {"core_memory", "messages", "blocks", "agents", "name", "agent_type", "in_context_message_indices"}


def is_agent_file(value: Any) -> bool:
    """Return whether a JSON value is an agent file of one agent or of several."""
    if not isinstance(value, Mapping):
        return False
    return ("agents" in value and "blocks" in value) or ("core_memory" in value and "messages" in value)


def read(value: Mapping[str, Any]) -> Drafts:
    """Read memory blocks as facts and messages as turns. Settings, tools and files are counted."""
    drafts = Drafts("letta")
    for place, block in objects(drafts, value.get("blocks", value.get("core_memory")), "block"):
        label = str(block.get("label") or "")
        key = str(block.get("id") or f"{value.get('name', '')}:{label or place}")
        about = {"block": label, **({"limit": block["limit"]} if block.get("limit") else {})}
        drafts.add(
            key,
            block.get("value"),
            place,
            tags=[f"block:{label}"[:100]] if label else None,
            metadata=about,
            recorded_at=block.get("created_at"),
            context=block.get("description"),
        )
    agents = list(objects(drafts, value.get("agents"), "agent")) or [("agent", value)]
    for place, agent in agents:
        session = str(agent.get("id") or agent.get("name") or place)
        for at, message in objects(drafts, agent.get("messages"), f"{place}: message"):
            _message(drafts, session, at, message)
        for name, what in agent.items():
            if name not in _READ and isinstance(what, list) and what:
                drafts.left(f"{name} of an agent", len(what))
    for name, what in value.items():
        if name not in _READ and isinstance(what, list) and agents[0][1] is not value:
            drafts.left(name, len(what))
    return drafts


def _message(drafts: Drafts, session: str, place: str, message: Mapping[str, Any]) -> None:
    role = str(message.get("role") or "user")
    text = text_of(message.get("content") if message.get("content") is not None else message.get("text"))
    if role in PROMPTS or not text.strip():
        drafts.left("messages of a program, without words")
        return
    drafts.left("tool calls", len(message.get("tool_calls") or ()))
    key = str(message.get("id") or f"{session}:{place}")
    drafts.add(
        key,
        text,
        place,
        kind="episode",
        author=str(message.get("name") or role),
        session=session,
        trust=SPEAKERS.get(role, "untrusted"),
        occurred_at=message.get("created_at"),
        metadata={"role": role},
    )
